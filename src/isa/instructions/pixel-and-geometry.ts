import { address, dest, instruction, named, own, SM50, src } from '../build-row.ts'
import { PRECISE, SATURATE } from '../controls.ts'
import type { InstructionRow, LiteralStyle, ShaderModelNumber } from '../row.ts'
import { GEOMETRY_ONLY, HULL_ONLY, PIXEL_ONLY } from '../stages.ts'

const F = dest('dest', 'f32')

function derivative(
  mnemonic: string,
  opcode: number,
  axis: 'x' | 'y',
  precision: 'any' | 'coarse' | 'fine',
  spec: string,
): InstructionRow {
  const since: ShaderModelNumber = precision === 'any' ? { major: 4, minor: 0 } : SM50
  const literals: LiteralStyle = precision === 'any' ? 'float' : 'integer'
  return instruction({
    mnemonic,
    opcode,
    traits: { kind: 'derivative', axis, precision },
    since,
    stages: PIXEL_ONLY,
    operands: [F, src('src0', 'f32')],
    controls: [SATURATE, PRECISE],
    literals,
    countedAs: ['float'],
    summary: `Rate of change of src0 along the render target's ${axis}${precision === 'any' ? '' : `, ${precision}`}.`,
    spec,
  })
}

const INPUT = own('srcInput', 'f32', { files: ['input'] })

const EVAL_ROWS: readonly InstructionRow[] = [
  instruction({
    mnemonic: 'eval_snapped',
    opcode: 203,
    traits: { kind: 'eval', at: 'snapped' },
    since: SM50,
    stages: PIXEL_ONLY,
    operands: [F, INPUT, address('srcOffset', 'i32', { purpose: 'texel-offset' })],
    controls: [SATURATE, PRECISE],
    summary: 'Evaluates an attribute at an offset of sixteenths of a pixel from the center.',
    spec: '22.4.25',
  }),
  instruction({
    mnemonic: 'eval_sample_index',
    opcode: 204,
    traits: { kind: 'eval', at: 'sample' },
    since: SM50,
    stages: PIXEL_ONLY,
    operands: [F, INPUT, address('sampleIndex', 'i32', { purpose: 'sample-index', components: 1 })],
    controls: [SATURATE, PRECISE],
    summary: 'Evaluates an attribute at a sample.',
    spec: '22.4.23',
  }),
  instruction({
    mnemonic: 'eval_centroid',
    opcode: 205,
    traits: { kind: 'eval', at: 'centroid' },
    since: SM50,
    stages: PIXEL_ONLY,
    operands: [F, INPUT],
    controls: [SATURATE, PRECISE],
    summary: 'Evaluates an attribute at the centroid.',
    spec: '22.4.24',
  }),
]

const STREAM = named('stream', 'stream', ['stream'])

function stream(
  mnemonic: string,
  opcode: number,
  emits: boolean,
  cuts: boolean,
  spec: string,
  summary: string,
): InstructionRow {
  return instruction({
    mnemonic,
    opcode,
    traits: { kind: 'stream', emits, cuts },
    stages: GEOMETRY_ONLY,
    summary,
    spec,
  })
}

const streamed = (
  mnemonic: string,
  opcode: number,
  emits: boolean,
  cuts: boolean,
  spec: string,
  summary: string,
): InstructionRow => ({
  ...stream(mnemonic, opcode, emits, cuts, spec, summary),
  since: SM50,
  operands: [STREAM],
})

function phase(
  mnemonic: string,
  opcode: number,
  name: 'declarations' | 'control-point' | 'fork' | 'join',
  spec: string,
  summary: string,
): InstructionRow {
  return instruction({
    mnemonic,
    opcode,
    traits: { kind: 'phase', phase: name },
    since: SM50,
    stages: HULL_ONLY,
    summary,
    spec,
  })
}

export const PIXEL_AND_GEOMETRY_ROWS: readonly InstructionRow[] = [
  derivative('deriv_rtx', 11, 'x', 'any', '22.5.2'),
  derivative('deriv_rty', 12, 'y', 'any', '22.5.3'),
  derivative('deriv_rtx_coarse', 122, 'x', 'coarse', '22.5.2'),
  derivative('deriv_rtx_fine', 123, 'x', 'fine', '22.5.4'),
  derivative('deriv_rty_coarse', 124, 'y', 'coarse', '22.5.3'),
  derivative('deriv_rty_fine', 125, 'y', 'fine', '22.5.5'),
  ...EVAL_ROWS,
  stream('cut', 9, false, true, '22.8.1', 'Ends the current strip.'),
  stream('emit', 19, true, false, '22.8.3', 'Emits a vertex.'),
  {
    ...stream('emit_then_cut', 20, true, true, '22.8.5', 'Emits a vertex, then ends the strip.'),
    enumName: 'EMITTHENCUT',
    aliases: ['emitThenCut'],
    evidence: 'patched',
  },
  streamed('emit_stream', 117, true, false, '22.8.4', 'Emits a vertex to a stream.'),
  streamed('cut_stream', 118, false, true, '22.8.2', 'Ends the strip of a stream.'),
  {
    ...streamed('emit_then_cut_stream', 119, true, true, '22.8.6', 'Emits a vertex to a stream, then ends its strip.'),
    enumName: 'EMITTHENCUT_STREAM',
    aliases: ['emitThenCut_stream'],
    evidence: 'patched',
  },
  phase('hs_decls', 113, 'declarations', '22.3.14', 'Begins the declarations that all phases of a hull shader share.'),
  phase(
    'hs_control_point_phase',
    114,
    'control-point',
    '22.3.21',
    'Begins the phase that runs once per output control point.',
  ),
  phase('hs_fork_phase', 115, 'fork', '22.3.23', 'Begins a phase whose instances may run in any order.'),
  phase('hs_join_phase', 116, 'join', '22.3.26', 'Begins a phase that may read what the fork phases wrote.'),
  instruction({
    mnemonic: 'abort',
    opcode: 207,
    traits: { kind: 'debug', action: 'abort' },
    since: SM50,
    summary: 'Ends the whole draw or dispatch (debug layer only).',
    spec: '',
  }),
  instruction({
    mnemonic: 'debug_break',
    opcode: 208,
    traits: { kind: 'debug', action: 'break' },
    since: SM50,
    evidence: 'patched',
    summary: 'Stops in the debugger (debug layer only).',
    spec: '',
  }),
]
