import type { RunOptions as RunOptionsOfSession } from '../../../src/debug/index.ts'
import { diagnostic, failure, type Outcome, outcomeOf } from '../../../src/diagnostic/index.ts'
import { debug } from '../../../src/host/index.ts'
import { type DebugSession, goToFinding } from '../../../src/session/index.ts'
import { describedBy, hostOf, type RunOptions, sourceOf } from '../jobs/source.ts'

/** What `heddle debug` and `heddle dap` take beside the description. */
export interface DebugFlags extends Omit<RunOptions, 'print' | 'out'> {
  /** Of a frame: the number of the command. */
  readonly command?: string
  /** A finding to go to: `check-race@15`, `check-uninitialized-temp@pixel:7`. */
  readonly finding?: string
  /** Of a draw: the only pixel that is rasterized, as `10,20`. */
  readonly pixel?: string
}

const flagFault = (text: string): Outcome<never> => failure([diagnostic('job-flag', text)])

/** What the flags say of the command. */
function sessionOptions({ command, pixel }: DebugFlags): Outcome<NonNullable<Parameters<typeof debug>[2]>> {
  if (command !== undefined && !/^\d+$/.test(command))
    return flagFault(`--command takes the number of a command, from 0; ${command} was given`)
  const at = pixel === undefined ? undefined : /^\s*(\d+)\s*,\s*(\d+)\s*$/.exec(pixel)
  if (at === null) return flagFault(`--pixel takes a pixel as 10,20; ${pixel} was given`)
  return outcomeOf({
    ...(command === undefined ? {} : { command: Number(command) }),
    ...(at === undefined ? {} : { pixel: { x: Number(at[1]), y: Number(at[2]) } }),
  })
}

/** Opens a session over what a file describes. */
export async function openDebugger(
  file: string,
  flags: DebugFlags,
  run: RunOptionsOfSession = {},
): Promise<Outcome<DebugSession>> {
  const options: RunOptions = { ...flags, print: [], out: [] }
  const source = sourceOf(file, options)
  const described = describedBy(source, options)
  if (described.value === undefined) return failure(described.diagnostics)
  const wanted = sessionOptions(flags)
  if (wanted.value === undefined) return failure(wanted.diagnostics)
  const opened = await debug(described.value, hostOf(source, options), { ...wanted.value, ...run })
  if (opened.value === undefined) return failure([...described.diagnostics, ...opened.diagnostics])
  const found = flags.finding === undefined ? [] : await goToFinding(opened.value, flags.finding)
  return outcomeOf(opened.value, [...described.diagnostics, ...opened.diagnostics, ...found])
}
