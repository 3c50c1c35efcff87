/** All that verbs print goes through here: what is printed does not run into the progress line. */
import { hideProgress } from './progress.ts'

/** Prints a result, on standard output. */
export function print(text: string | Uint8Array): void {
  hideProgress()
  process.stdout.write(text)
}

/** Prints a message, on standard error. */
export function printMessage(text: string): void {
  hideProgress()
  process.stderr.write(text)
}
