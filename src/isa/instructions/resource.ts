import { address, dest, instruction, named, own, SM41, SM50, src } from '../build-row.ts'
import { PRECISE, RESINFO_RETURN, SAMPLEINFO_RETURN, SATURATE } from '../controls.ts'
import type { InstructionRow, LodSource, OperandSlot, RowText } from '../row.ts'

const D = dest('dest', 'bits')
const F = dest('dest', 'f32')
const STATUS = dest('destStatus', 'u32', { purpose: 'status', nullable: true })
const UV = address('srcAddress', 'f32', { purpose: 'coordinates' })
const TEXTURE = named('srcResource', 'resource', ['resource'])
const SAMPLER = named('srcSampler', 'sampler', ['sampler'])
const REFERENCE = own('srcReferenceValue', 'f32', { purpose: 'reference', components: 1 })
const LOD = own('srcLod', 'f32', { purpose: 'lod', components: 1 })
const BIAS = own('srcLodBias', 'f32', { purpose: 'lod-bias', components: 1 })
/** 22.4.15: the clamp may be null where it is not used. */
const CLAMP = own('srcLodClamp', 'f32', { purpose: 'lod-clamp', components: 1, nullable: true })
const DDX = own('srcXDerivatives', 'f32', { purpose: 'x-derivatives' })
const DDY = own('srcYDerivatives', 'f32', { purpose: 'y-derivatives' })
const SAMPLED = [SATURATE, PRECISE]

interface SampleForm {
  readonly lod: LodSource
  readonly comparison?: boolean
  readonly extra: readonly OperandSlot[]
}

function sample(mnemonic: string, opcode: number, form: SampleForm, text: RowText): InstructionRow {
  return instruction({
    mnemonic,
    opcode,
    traits: { kind: 'sample', lod: form.lod, comparison: form.comparison ?? false, feedback: false, clamp: false },
    operands: [F, UV, TEXTURE, SAMPLER, ...form.extra],
    controls: SAMPLED,
    literals: 'float',
    ...text,
  })
}

/** The tiled-resource form of a sample: a status after the destination, and a clamp of the level of detail where `clamp`. */
function sampleFeedback(
  base: InstructionRow,
  mnemonic: string,
  opcode: number,
  enumName: string,
  clamp: boolean,
): InstructionRow {
  if (base.traits.kind !== 'sample') throw new Error(`${base.mnemonic} is no sample`)
  const [first, ...rest] = base.operands
  return {
    ...base,
    mnemonic,
    opcode,
    enumName,
    since: SM50,
    requires: ['tiled-resources'],
    traits: { ...base.traits, feedback: true, clamp },
    operands: [first!, STATUS, ...rest, ...(clamp ? [CLAMP] : [])],
    slack: 'unused-offset',
    summary: `${base.summary} Also returns whether every texel was mapped${clamp ? ', and clamps the level of detail' : ''}.`,
  }
}

const SAMPLE = sample(
  'sample',
  69,
  { lod: 'derivatives', extra: [] },
  { summary: 'Samples with the level of detail from screen derivatives.', spec: '22.4.15' },
)
const SAMPLE_C = sample(
  'sample_c',
  70,
  { lod: 'derivatives', comparison: true, extra: [REFERENCE] },
  { summary: 'Samples and compares each texel with a reference before filtering.', spec: '22.4.19' },
)
const SAMPLE_C_LZ = sample(
  'sample_c_lz',
  71,
  { lod: 'zero', comparison: true, extra: [REFERENCE] },
  { summary: 'Comparison sample at level of detail 0.', spec: '22.4.20' },
)
const SAMPLE_L = sample(
  'sample_l',
  72,
  { lod: 'explicit', extra: [LOD] },
  { summary: 'Samples at a level of detail given by the program.', spec: '22.4.18' },
)
const SAMPLE_D = sample(
  'sample_d',
  73,
  { lod: 'gradients', extra: [DDX, DDY] },
  { summary: 'Samples with derivatives given by the program.', spec: '22.4.17' },
)
const SAMPLE_B = sample(
  'sample_b',
  74,
  { lod: 'bias', extra: [BIAS] },
  { summary: 'Samples with a bias added to the level of detail.', spec: '22.4.16' },
)

const SAMPLE_ROWS: readonly InstructionRow[] = [
  SAMPLE,
  SAMPLE_C,
  SAMPLE_C_LZ,
  SAMPLE_L,
  SAMPLE_D,
  SAMPLE_B,
  sampleFeedback(SAMPLE_L, 'sample_l_s', 228, 'SAMPLE_L_FEEDBACK', false),
  sampleFeedback(SAMPLE_C_LZ, 'sample_c_lz_s', 229, 'SAMPLE_C_LZ_FEEDBACK', false),
  sampleFeedback(SAMPLE, 'sample_cl_s', 230, 'SAMPLE_CLAMP_FEEDBACK', true),
  sampleFeedback(SAMPLE_B, 'sample_b_cl_s', 231, 'SAMPLE_B_CLAMP_FEEDBACK', true),
  sampleFeedback(SAMPLE_D, 'sample_d_cl_s', 232, 'SAMPLE_D_CLAMP_FEEDBACK', true),
  sampleFeedback(SAMPLE_C, 'sample_c_cl_s', 233, 'SAMPLE_C_CLAMP_FEEDBACK', true),
]

const OFFSET = address('srcOffset', 'i32', { purpose: 'texel-offset' })

interface GatherForm {
  readonly comparison: boolean
  readonly programmableOffset: boolean
}

function gather(mnemonic: string, opcode: number, form: GatherForm, text: RowText): InstructionRow {
  const { comparison, programmableOffset } = form
  return instruction({
    mnemonic,
    opcode,
    traits: { kind: 'gather', comparison, programmableOffset, feedback: false },
    since: SM50,
    operands: [F, UV, ...(programmableOffset ? [OFFSET] : []), TEXTURE, SAMPLER, ...(comparison ? [REFERENCE] : [])],
    controls: SAMPLED,
    literals: programmableOffset ? 'integer' : 'float',
    ...text,
  })
}

function gatherFeedback(base: InstructionRow, mnemonic: string, opcode: number, enumName: string): InstructionRow {
  if (base.traits.kind !== 'gather') throw new Error(`${base.mnemonic} is no gather`)
  const [first, ...rest] = base.operands
  return {
    ...base,
    mnemonic,
    opcode,
    enumName,
    since: SM50,
    requires: ['tiled-resources'],
    traits: { ...base.traits, feedback: true },
    operands: [first!, STATUS, ...rest],
    summary: `${base.summary} Also returns whether every texel was mapped.`,
  }
}

const GATHER4 = {
  ...gather(
    'gather4',
    109,
    { comparison: false, programmableOffset: false },
    { summary: 'One component of each of the four texels that a bilinear sample would use.', spec: '22.4.2' },
  ),
  since: SM41,
}
const GATHER4_C = gather(
  'gather4_c',
  126,
  { comparison: true, programmableOffset: false },
  { summary: 'Comparison results of the four texels that a bilinear sample would use.', spec: '22.4.3' },
)
const GATHER4_PO = gather(
  'gather4_po',
  127,
  { comparison: false, programmableOffset: true },
  { summary: 'gather4 with a texel offset from a register.', spec: '22.4.4' },
)
const GATHER4_PO_C = gather(
  'gather4_po_c',
  128,
  { comparison: true, programmableOffset: true },
  { summary: 'gather4_c with a texel offset from a register.', spec: '22.4.5' },
)

const GATHER_ROWS: readonly InstructionRow[] = [
  GATHER4,
  GATHER4_C,
  GATHER4_PO,
  GATHER4_PO_C,
  gatherFeedback(GATHER4, 'gather4_s', 219, 'GATHER4_FEEDBACK'),
  gatherFeedback(GATHER4_C, 'gather4_c_s', 220, 'GATHER4_C_FEEDBACK'),
  gatherFeedback(GATHER4_PO, 'gather4_po_s', 221, 'GATHER4_PO_FEEDBACK'),
  gatherFeedback(GATHER4_PO_C, 'gather4_po_c_s', 222, 'GATHER4_PO_C_FEEDBACK'),
]

function load(mnemonic: string, opcode: number, multisample: boolean, text: RowText): InstructionRow {
  return instruction({
    mnemonic,
    opcode,
    traits: { kind: 'load', addressing: 'typed', multisample, feedback: false },
    operands: [
      D,
      address('srcAddress', 'i32', { purpose: 'coordinates' }),
      TEXTURE,
      ...(multisample ? [address('sampleIndex', 'i32', { purpose: 'sample-index', components: 1 })] : []),
    ],
    controls: SAMPLED,
    ...text,
  })
}

/** The tiled-resource form of a load: a status after the destination. */
export function loadFeedback(base: InstructionRow, mnemonic: string, opcode: number, enumName: string): InstructionRow {
  if (base.traits.kind !== 'load') throw new Error(`${base.mnemonic} is no load`)
  const [first, ...rest] = base.operands
  return {
    ...base,
    mnemonic,
    opcode,
    enumName,
    since: SM50,
    downlevel: 'none',
    requires: ['tiled-resources'],
    aliases: [],
    traits: { ...base.traits, feedback: true },
    operands: [first!, STATUS, ...rest],
    summary: `${base.summary} Also returns whether the memory was mapped.`,
  }
}

const LD = load('ld', 45, false, {
  summary: 'Reads one texel or typed buffer element without filtering; out of bounds reads 0.',
  spec: '22.4.6',
})
const LDMS = {
  ...load('ldms', 46, true, { summary: 'Reads one sample of a texel of a multisampled texture.', spec: '22.4.7' }),
  enumName: 'LD_MS',
  aliases: ['ld2dms'],
}

const LOAD_ROWS: readonly InstructionRow[] = [
  LD,
  LDMS,
  loadFeedback(LD, 'ld_s', 223, 'LD_FEEDBACK'),
  loadFeedback(LDMS, 'ldms_s', 224, 'LD_MS_FEEDBACK'),
]

const ANY_RESOURCE = named('srcResource', 'resource', ['resource', 'uav'])

const QUERY_ROWS: readonly InstructionRow[] = [
  instruction({
    mnemonic: 'resinfo',
    opcode: 61,
    traits: { kind: 'query', query: 'resinfo' },
    operands: [D, address('srcMipLevel', 'i32', { purpose: 'mip-level', components: 1 }), ANY_RESOURCE],
    controls: [RESINFO_RETURN, PRECISE],
    summary: 'Width, height, depth or array size, and number of mip levels; 0 sizes for a mip that is not there.',
    spec: '22.4.14',
  }),
  instruction({
    mnemonic: 'lod',
    opcode: 108,
    traits: { kind: 'query', query: 'lod' },
    since: SM41,
    stages: ['pixel'],
    operands: [F, UV, TEXTURE, SAMPLER],
    controls: SAMPLED,
    summary: 'The level of detail that a sample would use: clamped in x, unclamped in y.',
    spec: '22.5.6',
  }),
  instruction({
    mnemonic: 'samplepos',
    opcode: 110,
    enumName: 'SAMPLE_POS',
    traits: { kind: 'query', query: 'samplepos' },
    since: SM41,
    operands: [
      F,
      named('srcResource', 'resource', ['resource', 'rasterizer']),
      address('sampleIndex', 'i32', { purpose: 'sample-index', components: 1 }),
    ],
    controls: [PRECISE],
    slack: 'texture',
    summary: 'Position of a sample within its pixel; 0 for a sample that is not there.',
    spec: '22.4.22',
  }),
  instruction({
    mnemonic: 'sampleinfo',
    opcode: 111,
    enumName: 'SAMPLE_INFO',
    traits: { kind: 'query', query: 'sampleinfo' },
    since: SM41,
    operands: [D, named('srcResource', 'resource', ['resource', 'rasterizer'])],
    controls: [SAMPLEINFO_RETURN, PRECISE],
    summary: 'Number of samples of a resource or of the rasterizer.',
    spec: '22.4.21',
  }),
  instruction({
    mnemonic: 'bufinfo',
    opcode: 121,
    traits: { kind: 'query', query: 'bufinfo' },
    since: SM50,
    operands: [D, ANY_RESOURCE],
    controls: [PRECISE],
    summary: 'Size of a buffer: bytes of a raw one, structures of a structured one, elements of a typed one.',
    spec: '22.4.1',
  }),
  instruction({
    mnemonic: 'check_access_fully_mapped',
    opcode: 234,
    traits: { kind: 'query', query: 'fully-mapped' },
    since: SM50,
    requires: ['tiled-resources'],
    operands: [D, src('src0', 'u32', { components: 1 })],
    controls: [PRECISE],
    summary: 'All ones where the status of a feedback instruction says that every access was mapped, else 0.',
    spec: '22.4.26',
  }),
]

export const RESOURCE_ROWS: readonly InstructionRow[] = [...SAMPLE_ROWS, ...GATHER_ROWS, ...LOAD_ROWS, ...QUERY_ROWS]
