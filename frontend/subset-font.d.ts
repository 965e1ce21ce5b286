declare module 'subset-font' {
  /** What is left of a font when it is to write these letters alone, with all that they are joined to. */
  export default function subsetFont(
    font: Buffer,
    letters: string,
    options?: { targetFormat?: 'sfnt' | 'truetype' | 'woff' | 'woff2' },
  ): Promise<Buffer>
}
