import { condition, instruction, named, own, SM50 } from '../build-row.ts'
import { TEST } from '../controls.ts'
import type { FlowAction, InstructionRow } from '../row.ts'
import { PIXEL_ONLY } from '../stages.ts'

const LABEL = named('label', 'label', ['label'])
const TESTED = condition('src0', { components: 1 })

function flow(mnemonic: string, opcode: number, action: FlowAction, spec: string, summary: string): InstructionRow {
  return instruction({ mnemonic, opcode, traits: { kind: 'flow', action, conditional: false }, summary, spec })
}

function tested(mnemonic: string, opcode: number, action: FlowAction, spec: string, summary: string): InstructionRow {
  return {
    ...flow(mnemonic, opcode, action, spec, summary),
    traits: { kind: 'flow', action, conditional: true },
    operands: [TESTED],
    controls: [TEST],
  }
}

export const FLOW_ROWS: readonly InstructionRow[] = [
  flow('break', 2, 'break', '22.7.8', 'Leaves the innermost loop or switch.'),
  tested('breakc', 3, 'break', '22.7.9', 'Leaves the innermost loop or switch where the test holds.'),
  { ...flow('call', 4, 'call', '22.7.10', 'Calls the subroutine at a label.'), operands: [LABEL] },
  {
    ...tested('callc', 5, 'call', '22.7.11', 'Calls the subroutine at a label where the test holds.'),
    operands: [TESTED, LABEL],
    evidence: 'patched',
  },
  {
    ...flow('case', 6, 'case', '22.7.12', 'A value of the enclosing switch.'),
    operands: [own('value', 'bits', { components: 1, files: ['immediate32'] })],
  },
  flow('continue', 7, 'continue', '22.7.6', 'Starts the next turn of the innermost loop.'),
  {
    ...tested('continuec', 8, 'continue', '22.7.7', 'Starts the next turn of the innermost loop where the test holds.'),
    evidence: 'patched',
  },
  flow('default', 10, 'default', '22.7.13', 'The branch of the enclosing switch for every other value.'),
  {
    ...tested('discard', 13, 'discard', '22.5.1', 'Ends the pixel without output where the test holds.'),
    stages: PIXEL_ONLY,
  },
  flow('else', 18, 'else', '22.7.2', 'The other branch of an if.'),
  flow('endif', 21, 'endif', '22.7.3', 'Ends an if.'),
  flow('endloop', 22, 'endloop', '22.7.5', 'Ends a loop body and starts its next turn.'),
  flow('endswitch', 23, 'endswitch', '22.7.14', 'Ends a switch.'),
  tested('if', 31, 'if', '22.7.1', 'Runs a block where the test holds.'),
  {
    ...flow('label', 44, 'label', '22.7.15', 'Begins a subroutine.'),
    operands: [named('label', 'label', ['label', 'function-body'])],
  },
  flow('loop', 48, 'loop', '22.7.4', 'Repeats a block until a break.'),
  flow('ret', 62, 'ret', '22.7.16', 'Ends the subroutine or the program.'),
  {
    ...tested('retc', 63, 'ret', '22.7.17', 'Ends the subroutine or the program where the test holds.'),
    evidence: 'patched',
  },
  {
    ...flow('switch', 76, 'switch', '22.7.18', 'Chooses a case by an integer value.'),
    operands: [own('src0', 'bits', { components: 1 })],
  },
  {
    ...flow('fcall', 120, 'fcall', '22.7.19', 'Calls a method through an interface pointer.'),
    enumName: 'INTERFACE_CALL',
    since: SM50,
    operands: [named('interface', 'function', ['interface'])],
    parameters: ['callSite'],
    parametersFirst: true,
    longForm: true,
  },
]
