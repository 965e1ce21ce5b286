type Failure = { message: string; code?: string } | null

/** The client answers with an error instead of throwing it; ours carry the status, by which reads are repeated. */
export function check(error: Failure, status: number) {
  if (error) throw failed(error, status)
}

export const failed = (error: NonNullable<Failure>, status: number) =>
  Object.assign(new Error(error.message), { status, code: error.code })

export const statusOf = (error: unknown) =>
  typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined
