/** Files for the debug adapter: run descriptions, and the user's own copies of sources. */
import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { RunOptions } from '../../../src/debug/index.ts'
import { diagnostic, failure, type Outcome } from '../../../src/diagnostic/index.ts'
import { debug } from '../../../src/host/index.ts'
import { createHost } from '../../../src/host/node/index.ts'
import { parseDescription } from '../../../src/job/index.ts'
import type { DebugSession } from '../../../src/session/index.ts'
import { isSameSource, type SourcePathMap, sourceNames } from '../../../src/source/index.ts'
import { type AdapterHost, type LaunchArguments, sessionOptions } from '../../dap/index.ts'
import { readBytes } from '../files.ts'
import { type DebugFlags, openDebugger } from './open.ts'

async function openProgram(
  program: string,
  args: LaunchArguments,
  flags: DapFlags,
  options: RunOptions,
): Promise<Outcome<DebugSession>> {
  const { command, pixel } = sessionOptions(args)
  const own = {
    ...(command === undefined ? {} : { command: `${command}` }),
    ...(pixel === undefined ? {} : { pixel: `${pixel.x},${pixel.y}` }),
  }
  return openDebugger(program, { ...NO_SLOTS, ...flags, ...own }, options)
}

async function openJob(args: LaunchArguments, options: RunOptions): Promise<Outcome<DebugSession>> {
  const { value, diagnostics } = parseDescription(args.job)
  if (value === undefined) return failure(diagnostics)
  return debug(value, createHost({ folder: process.cwd() }), { ...sessionOptions(args), ...options })
}

/** A file's name as it is spelled where it is: debug data of Windows has names in any case. */
function spelledAs(name: string): readonly string[] {
  if (existsSync(name)) return [name]
  const folder = dirname(name)
  const wanted = basename(name).toLowerCase()
  try {
    return readdirSync(folder).flatMap((own) => (own.toLowerCase() === wanted ? [join(folder, own)] : []))
  } catch {
    return []
  }
}

/** What the command line says for all sessions. */
export type DapFlags = Pick<DebugFlags, 'hlslCompiler' | 'allowOutside'>

const NO_SLOTS = { srv: [], uav: [], cbv: [], sampler: [], unbound: [] } as const

/** A host over the file system. Source files are looked for beside the description and in the working folder. */
export function nodeAdapterHost(flags: DapFlags = {}): AdapterHost {
  let folders: readonly string[] = [process.cwd()]
  let map: SourcePathMap = {}
  return {
    async open(args, options = {}) {
      const { program, job, sourcePathMap = {} } = args
      map = sourcePathMap
      if (typeof program === 'string') {
        folders = [dirname(resolve(program)), process.cwd()]
        return openProgram(program, args, flags, options)
      }
      if (job !== undefined) return openJob(args, options)
      const text =
        'launch names what to debug: "program", the path of a run description, or "job", a run description itself'
      return failure([diagnostic('session-command', text)])
    },
    findSource(file) {
      for (const name of sourceNames(file, folders, map)) {
        for (const there of spelledAs(name)) {
          try {
            if (isSameSource(file, readBytes(there)) === true) return resolve(there)
          } catch {
            // No file: the next name.
          }
        }
      }
      return undefined
    },
  }
}
