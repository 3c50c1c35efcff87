import { expect, it } from 'vitest'
import { parseProgramOrThrow } from '../asm/index.ts'
import { type DebugInstruction, type DebugTables, NO_DEBUG_ROW } from '../dxbc/index.ts'
import { gatherDeclarationsOrThrow } from '../engine/index.ts'
import { instructionNumbers } from '../program/index.ts'
import { followTables } from './tables-flow.ts'

const NO = NO_DEBUG_ROW

/** An instruction that leaves scalar `scalar` in r`register`.x; in nothing, where there is none. */
function record(position: number, register: number, scalar: number = NO): DebugInstruction {
  const output = {
    ...{ at: 0, registerSet: 4, register, arrayRegister: NO, indexRegister: NO, indexComponent: 0 },
    components: [0, NO, NO, NO],
    variables: [scalar, NO, NO, NO],
  }
  return { position, token: undefined, outputs: [output], nestingLevel: 0, scopes: [] }
}

/** Where scalar 0 is before each instruction of a program: `r1`, or `-`. */
function placesOf(text: string, records: readonly DebugInstruction[]): string {
  const program = parseProgramOrThrow(`cs_5_0\ndcl_temps 4\ndcl_thread_group 1, 1, 1\n${text}`)
  const d = gatherDeclarationsOrThrow(program)
  const numbers = instructionNumbers(program)
  const tables: DebugTables = {
    ...{ compiler: '', entryName: 'main', target: '', files: [], scopes: [], scopeVariables: [] },
    instructions: records,
    scalars: [],
    inputs: [],
  }
  const flow = followTables(tables, d, (statement) => records.find((r) => r.position === numbers[statement]))
  const places = program.statements.flatMap((_, at) => {
    if (numbers[at] === undefined) return []
    const place = flow.before(at).get(0)
    return [place?.kind === 'register' ? `r${place.indices[0]}` : '-']
  })
  return places.join(' ')
}

it('holds a scalar until its register is written', () => {
  const text = 'mov r1.x, l(1)\nmov r2.x, l(2)\nmov r1.x, l(3)\nret'
  expect(placesOf(text, [record(0, 1, 0), record(1, 2), record(2, 1)])).toBe('- r1 r1 -')
})

it('takes what the statement itself writes, where the record names another register', () => {
  const text = 'mov r1.x, l(1)\nmov r1.x, l(2)\nret'
  expect(placesOf(text, [record(0, 1, 0), record(1, 99)])).toBe('- r1 -')
})

it('has nothing behind branches that disagree, and what they agree on', () => {
  const text = 'mov r1.x, l(1)\nif_nz r0.x\nmov r2.x, l(2)\nelse\nmov r3.x, l(3)\nendif\nret'
  const disagreeing = [record(0, 1, 0), record(2, 2, 0), record(4, 3)]
  expect(placesOf(text, disagreeing)).toBe('- r1 r1 r2 r1 - -')
  const agreeing = [record(0, 1, 0), record(2, 2), record(4, 3)]
  expect(placesOf(text, agreeing)).toBe('- r1 r1 r1 r1 r1 r1')
})

it('looks through loops: what the end of the body changes is not there at its start', () => {
  const text = 'mov r1.x, l(1)\nloop\nbreakc_nz r0.x\nmov r1.x, l(2)\nendloop\nret'
  // Edges back lead to the statement `loop` itself.
  expect(placesOf(text, [record(0, 1, 0), record(3, 1)])).toBe('- - - - - -')
  expect(placesOf(text, [record(0, 1, 0), record(3, 1, 0)])).toBe('- r1 r1 r1 r1 r1')
})

it('has nothing in registers behind a call', () => {
  const text = 'mov r1.x, l(1)\ncall label0\nmov r2.x, r1.x\nret\nlabel label0\nret'
  expect(
    placesOf(text, [record(0, 1, 0), record(2, 2)])
      .split(' ')
      .slice(0, 3)
      .join(' '),
  ).toBe('- r1 -')
})
