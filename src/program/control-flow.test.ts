import { describe, expect, it } from 'vitest'
import { parseProgram, statementLister } from '../asm/index.ts'
import { type BasicBlock, type ControlFlow, controlFlow, type FlowEdge } from './index.ts'

function flowOf(text: string): { flow: ControlFlow; textOf: (statement: number) => string } {
  const { value } = parseProgram(text)
  if (value === undefined) throw new Error('the program does not parse')
  const list = statementLister(value)
  return { flow: controlFlow(value), textOf: (i) => list(i) ?? '' }
}

const edgeText = ({ when, to, isBack }: FlowEdge): string =>
  `${typeof when === 'object' ? `case ${when.case}` : when} ${to}${isBack ? ' back' : ''}`

/** `first statement .. last statement -> edges`. */
function describeBlock(textOf: (i: number) => string, b: BasicBlock): string {
  const [first, last] = [b.statements[0]!, b.statements.at(-1)!].map((i) => textOf(i).split(' ')[0])
  return `${first} .. ${last} -> ${b.edges.map(edgeText).join(', ')}${b.isUnreachable ? ' (unreachable)' : ''}`
}

function blocks(text: string): string[][] {
  const { flow, textOf } = flowOf(text)
  expect(flow.diagnostics).toEqual([])
  return flow.functions.map((f) => [f.name, ...f.blocks.map((b) => describeBlock(textOf, b))])
}

const HEAD =
  'cs_5_0\ndcl_globalFlags refactoringAllowed\ndcl_input vThreadID.x\ndcl_temps 1\ndcl_thread_group 1, 1, 1\n'

describe('basic blocks', () => {
  it('divide at if, else and endif', () => {
    const code = 'if_nz vThreadID.x\nmov r0.x, l(1)\nelse\nmov r0.x, l(2)\nendif\nret\n'
    expect(blocks(HEAD + code)).toEqual([
      [
        'main',
        'if_nz .. if_nz -> true 1, false 2',
        'mov .. else -> always 3',
        'mov .. mov -> always 3',
        'endif .. ret -> always return',
      ],
    ])
  })

  it('lead back from endloop and continue, and out at break', () => {
    const code =
      'mov r0.x, l(0)\nloop\nbreakc_nz r0.x\nif_nz vThreadID.x\ncontinue\nendif\nmov r0.x, l(1)\nendloop\nret\n'
    expect(blocks(HEAD + code)).toEqual([
      [
        'main',
        'mov .. mov -> always 1',
        'loop .. breakc_nz -> false 2, true 5',
        'if_nz .. if_nz -> true 3, false 4',
        'continue .. continue -> always 1 back',
        'endif .. endloop -> always 1 back',
        'ret .. ret -> always return',
      ],
    ])
  })

  it('follow each case of a switch, into the next without a break', () => {
    const code = 'switch vThreadID.x\ncase l(3)\nmov r0.x, l(1)\ncase l(-1)\nbreak\nendswitch\nret\n'
    expect(blocks(HEAD + code)).toEqual([
      [
        'main',
        'switch .. switch -> case 3 1, case -1 2, default 3',
        'case .. mov -> always 2',
        'case .. break -> always 3',
        'endswitch .. ret -> always return',
      ],
    ])
  })

  it('mark what no path reaches', () => {
    const code = 'loop\nret\nendloop\nret\n'
    expect(blocks(HEAD + code)[0]).toEqual([
      'main',
      'loop .. ret -> always return',
      'endloop .. endloop -> always 0 back (unreachable)',
      'ret .. ret -> always return (unreachable)',
    ])
  })

  it('are those of each subroutine, with calls', () => {
    const code = 'call label0\nret\nlabel label0\nretc_nz vThreadID.x\nmov r0.x, l(1)\nret\n'
    const { flow } = flowOf(HEAD + code)
    expect(blocks(HEAD + code)).toEqual([
      ['main', 'call .. ret -> always return'],
      ['label0', 'label .. retc_nz -> true return, false 2', 'mov .. ret -> always return'],
    ])
    expect(flow.functions[0]!.blocks[0]!.calls).toEqual(['label0'])
  })

  it('are found in time that grows with the length alone, and say what does not nest', () => {
    const deep = `loop\n${'if_nz vThreadID.x\nbreak\n'.repeat(20000)}ret\n`
    const { flow } = flowOf(HEAD + deep)
    expect(flow.diagnostics[0]).toMatchObject({ code: 'program-flow', severity: 'error' })
    expect(flow.functions[0]!.blocks.length).toBeGreaterThan(20000)
    expect(flowOf(`${HEAD}endif\nret\n`).flow.diagnostics.map((d) => d.message)).toEqual([
      'endif closes an if, and no block is open',
    ])
  })
})
