/** Colors of what is printed, and errors of the command line itself. Loads no room, because every start loads it. */
import pc from 'picocolors'
import type { Paint } from '../../src/diagnostic/index.ts'
import { printMessage } from './print.ts'

/** The choice of `--color` or `--no-color`; undefined where neither is given. */
let forced: boolean | undefined

/** Takes the choice of the command line, before a verb runs. */
export function chooseColors(choice: boolean | undefined): void {
  forced = choice
}

/** Whether a stream gets colors: where it is a terminal, or where they are requested (a CI shows them from a pipe too). */
export function hasColors(stream: { readonly isTTY?: boolean }): boolean {
  if (forced !== undefined) return forced
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env
  if (NO_COLOR) return false
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return stream.isTTY === true && TERM !== 'dumb'
}

/** Colors for a stream; each leaves its text as it is where there are none. */
export function colorsFor(stream: { readonly isTTY?: boolean }): ReturnType<typeof pc.createColors> {
  return pc.createColors(hasColors(stream))
}

/** How diagnostics and reports are painted on a stream. */
export function paintFor(stream: { readonly isTTY?: boolean }): Paint {
  const c = colorsFor(stream)
  return {
    error: (s) => c.bold(c.red(s)),
    warning: (s) => c.bold(c.yellow(s)),
    hint: (s) => c.bold(c.cyan(s)),
    dim: c.dim,
  }
}

/** Something that is wrong before any shader is looked at. */
export function printError(message: string): void {
  printMessage(`${paintFor(process.stderr).error('error')}: ${message}\n`)
}
