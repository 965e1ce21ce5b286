/** What may be uploaded, with the limits of its bucket. */
export const KINDS_OF_UPLOAD = {
  photo: {
    bucket: 'property-images',
    most: 10 * 1024 * 1024,
    types: ['image/jpeg', 'image/png', 'image/webp', 'image/avif'],
    tooLarge: 'upTooLarge',
    wrongType: 'upWrongType',
  },
  paper: {
    bucket: 'property-documents',
    most: 20 * 1024 * 1024,
    types: ['application/pdf', 'image/jpeg', 'image/png'],
    tooLarge: 'upPaperTooLarge',
    wrongType: 'upPaperWrongType',
  },
} as const
export type KindOfUpload = keyof typeof KINDS_OF_UPLOAD

const SIGNATURES: ReadonlyArray<readonly [type: string, at: number, bytes: string]> = [
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/webp', 8, 'WEBP'],
  ['image/avif', 4, 'ftypavif'],
  ['image/avif', 4, 'ftypavis'],
  ['application/pdf', 0, '%PDF-'],
]

/** The type by the leading bytes; a name can say anything. */
export async function typeOfFile(file: Blob) {
  const bytes = new Uint8Array(await file.slice(0, 16).arrayBuffer())
  const text = String.fromCharCode(...bytes)
  return SIGNATURES.find(([, at, signature]) => text.startsWith(signature, at))?.[0] ?? null
}

/** The key of why a file is not taken, or its type. */
export async function checkFile(
  kind: KindOfUpload,
  file: Blob,
): Promise<{ refused: string } | { type: string }> {
  const { most, types, tooLarge, wrongType } = KINDS_OF_UPLOAD[kind]
  const type = await typeOfFile(file)
  if (!type || !types.some((known) => known === type)) return { refused: wrongType }
  return file.size > most ? { refused: tooLarge } : { type }
}
