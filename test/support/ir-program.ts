import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { gatherComputeDeclarations } from '../../src/engine/gather/declarations.ts'
import { BindingTable } from '../../src/engine/ir/bindings.ts'
import { type ParseOptions, parseRegion } from '../../src/engine/ir/parse.ts'
import { printRegion } from '../../src/engine/ir/print.ts'
import type { Lowered } from '../../src/engine/ir/program.ts'
import type { Value } from '../../src/engine/ir/value.ts'
import { programOf } from './run-text.ts'

/** Programs of intermediate code as text, for unit tests of passes; docs/ir.md has the language. */

const UAVS = 4

/** A program of one group of 64 threads (or as given) with u0 to u3, raw, as bindings 0 to 3. */
export function irProgram(
  text: string,
  options: ParseOptions = {},
): Lowered & { readonly values: ReadonlyMap<string, Value> } {
  const { threads = [64, 1, 1] } = options
  const uavs = Array.from({ length: UAVS }, (_, n) => `dcl_uav_raw u${n}`)
  const source = [
    'cs_5_0',
    'dcl_globalFlags refactoringAllowed',
    ...uavs,
    `dcl_thread_group ${threads.join(', ')}`,
    'ret',
  ]
  const declarations = valueOrThrow(gatherComputeDeclarations(programOf(source.join('\n'))))
  const bindings = new BindingTable(declarations)
  for (let n = 0; n < UAVS; n++) bindings.uav(n, undefined)
  return { declarations, ...parseRegion(text, options), bindings, privateArrays: [{ register: 0, count: 4 }] }
}

/** Text with every line's indentation as the printer has it, so that tests can indent as they like. */
export const normal = (text: string): string => {
  let depth = 0
  const lines = text.split('\n').map((line) => line.trim())
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      if (line.startsWith('}')) depth--
      const made = `${'  '.repeat(depth)}${line}\n`
      if (line.endsWith('{')) depth++
      return made
    })
    .join('')
}

export const textOf = ({ root }: Pick<Lowered, 'root'>): string => printRegion(root)
