/** Programs whose blocks do not nest: both engines, the validator and the graph of blocks say the same. */
import { expect, it } from 'vitest'
import { MAX_DIAGNOSTICS } from '../../src/diagnostic/index.ts'
import { structureOf } from '../../src/engine/lower/blocks.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { blockFaults, controlFlow, flowSteps } from '../../src/program/index.ts'
import { validate } from '../../src/validate/index.ts'
import { programOf } from '../support/run-text.ts'

const HEAD = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_input vThreadIDInGroupFlattened
dcl_thread_group 1, 1, 1
`
const IF = 'if_nz vThreadIDInGroupFlattened.x'
const SWITCH = 'switch vThreadIDInGroupFlattened.x'

it.each([
  ['endif', 'endif closes an if, and no block is open', true],
  [`loop\nendif\nbreak\nendloop`, 'endif closes an if, and a loop is', true],
  ['else', 'else stands outside an if', true],
  [`${IF}\nelse\nelse\nendif`, 'this if has an else already', true],
  [`${IF}`, 'this if has no endif', true],
  ['break', 'break stands outside of every loop and switch', false],
  [`${SWITCH}\ncase l(1)\ncontinue\nbreak\nendswitch`, 'continue stands outside of every loop', false],
  ['case l(1)', 'case stands outside a switch', false],
  [`${SWITCH}\ndefault\nbreak\ndefault\nbreak\nendswitch`, 'this switch has a default already', false],
  [`${SWITCH}\nbreak\ncase l(1)\nbreak\nendswitch`, 'code of a switch stands before its first case', false],
] as const)('%j: %s', (body, message, isPairing) => {
  const program = programOf(`${HEAD}${body}\nret\n`)
  const loaded = createReferenceEngine({}).load(program)
  expect(loaded.diagnostics.map((d) => [d.code, d.message])).toContainEqual(['engine-flow', message])
  expect(structureOf(program).diagnostics.map((d) => d.message)).toContain(message)
  expect(controlFlow(program).diagnostics.map((d) => d.message)).toContain(message)
  expect(blockFaults(flowSteps(program)).map((f) => f.message)).toContain(message)
  const sentence = `${message[0]!.toUpperCase()}${message.slice(1)}.`
  if (isPairing) expect(validate(program).map((d) => d.message)).toContain(sentence)
})

it('very many blocks without an end: the first are named, the others counted', () => {
  const program = programOf(`${HEAD}${'loop\n'.repeat(MAX_DIAGNOSTICS + 20)}ret\n`)
  const { diagnostics, value } = structureOf(program)
  expect(diagnostics.length).toBe(MAX_DIAGNOSTICS + 1)
  expect(diagnostics.at(-1)?.code).toBe('diagnostics-more')
  expect(diagnostics.at(-1)?.message).toContain('20')
  expect(value.main).toEqual([])
})
