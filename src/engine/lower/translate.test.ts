import { expect, it } from 'vitest'
import { parseProgram } from '../../asm/index.ts'
import { valueOrThrow } from '../../diagnostic/index.ts'
import { threadsOf } from '../declarations.ts'
import { gatherComputeDeclarations } from '../gather/declarations.ts'
import { translateInParts } from './translate.ts'

// Long shaders are translated with other tasks of the host between their instructions, however these are nested.

const ADDS = Array.from({ length: 24 }, () => 'iadd r0.x, r0.x, r0.y')
const program = (...body: readonly string[]): string =>
  [
    'cs_5_0',
    'dcl_input vThreadID.x',
    'dcl_temps 1',
    'dcl_thread_group 4, 1, 1',
    'mov r0.xy, vThreadID.xxxx',
    ...body,
  ].join('\n')

it.each([
  ['the program', program(...ADDS, 'ret')],
  ['an if', program('if_nz r0.x', ...ADDS, 'else', ...ADDS, 'endif', 'ret')],
  ['a loop', program('loop', 'breakc_z r0.x', ...ADDS, 'if_z r0.y', 'continue', 'endif', 'endloop', 'ret')],
  ['a switch', program('switch r0.x', 'case l(1)', ...ADDS, 'break', 'default', 'break', 'endswitch', 'ret')],
  ['a subroutine', program('call label0', 'ret', 'label label0', ...ADDS, 'ret')],
])('has parts within %s', (_, text) => {
  const declarations = valueOrThrow(gatherComputeDeclarations(valueOrThrow(parseProgram(text))))
  const options = { threads: threadsOf(declarations), keepDenormals: false, fused: false }
  const parts = translateInParts(declarations, options)
  let count = 1
  for (let part = parts.next(); part.done !== true; part = parts.next()) count++
  expect(count).toBeGreaterThanOrEqual(3)
})
