import { diagnostic, type Failure, failure } from '../diagnostic/index.ts'

/** The outcome of a view that cannot be. */
export function fail(code: 'machine-view-range' | 'machine-view-kind', message: string): Failure {
  return failure([diagnostic(code, message)])
}
