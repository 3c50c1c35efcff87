import { instruction, named, SM50 } from '../build-row.ts'
import * as C from '../controls.ts'
import type { RegisterFileName } from '../register-files.ts'
import type { DeclarationForm, InstructionRow, OperandSlot } from '../row.ts'
import { COMPUTE_ONLY, GEOMETRY_ONLY, HULL_DOMAIN, HULL_ONLY, PIXEL_ONLY } from '../stages.ts'

interface Shape {
  readonly enumName?: string
  readonly operands?: readonly OperandSlot[]
  readonly parameters?: readonly string[]
  readonly controls?: readonly C.Control[]
  readonly generated?: true
  readonly aliases?: readonly string[]
}

function declaration(
  mnemonic: string,
  opcode: number,
  declares: DeclarationForm,
  spec: string,
  summary: string,
  shape: Shape = {},
): InstructionRow {
  const { generated, ...rest } = shape
  const traits = { kind: 'declaration', declares, ...(generated === undefined ? {} : { generated }) } as const
  return instruction({ mnemonic, opcode, traits, summary, spec, ...rest })
}

const of = (...files: RegisterFileName[]): readonly OperandSlot[] => [named('register', 'declared', files)]

const INPUTS: readonly OperandSlot[] = of(
  'input',
  'input-primitive-id',
  'output-control-point-id',
  'fork-instance-id',
  'join-instance-id',
  'input-control-point',
  'output-control-point',
  'patch-constant',
  'domain-point',
  'thread-id',
  'thread-group-id',
  'thread-id-in-group',
  'thread-id-in-group-flattened',
  'input-coverage-mask',
  'inner-coverage',
  'gs-instance-id',
  'cycle-counter',
)
const OUTPUTS = of(
  'output',
  'output-depth',
  'output-depth-greater-equal',
  'output-depth-less-equal',
  'output-coverage-mask',
  'output-stencil-ref',
)

const INPUT_OUTPUT_ROWS: readonly InstructionRow[] = [
  declaration('dcl_input', 95, 'input', '22.3.10', 'Declares an input register.', { operands: INPUTS }),
  declaration('dcl_input_sgv', 96, 'input-sv', '22.3.11', 'Declares an input that the hardware generates.', {
    operands: INPUTS,
    parameters: ['systemValue'],
    generated: true,
  }),
  declaration(
    'dcl_input_siv',
    97,
    'input-sv',
    '22.3.11',
    'Declares an input that an earlier stage wrote and the hardware reads.',
    { operands: INPUTS, parameters: ['systemValue'], aliases: ['dcl_input_sv'] },
  ),
  {
    ...declaration('dcl_input_ps', 98, 'input-ps', '22.3.10', 'Declares an interpolated pixel shader input.', {
      operands: INPUTS,
      controls: [C.INTERPOLATION],
    }),
    stages: PIXEL_ONLY,
  },
  {
    ...declaration(
      'dcl_input_ps_sgv',
      99,
      'input-ps-sv',
      '22.3.11',
      'Declares a pixel shader input that the hardware generates.',
      { operands: INPUTS, parameters: ['systemValue'], controls: [C.INTERPOLATION], generated: true },
    ),
    stages: PIXEL_ONLY,
  },
  {
    ...declaration(
      'dcl_input_ps_siv',
      100,
      'input-ps-sv',
      '22.3.11',
      'Declares a pixel shader input that an earlier stage wrote and the hardware reads.',
      { operands: INPUTS, parameters: ['systemValue'], controls: [C.INTERPOLATION] },
    ),
    stages: PIXEL_ONLY,
  },
  declaration('dcl_output', 101, 'output', '22.3.31', 'Declares an output register.', { operands: OUTPUTS }),
  declaration(
    'dcl_output_sgv',
    102,
    'output-sv',
    '22.3.33',
    'Declares an output that the hardware generates for a later stage.',
    { operands: OUTPUTS, parameters: ['systemValue'], generated: true },
  ),
  declaration('dcl_output_siv', 103, 'output-sv', '22.3.32', 'Declares an output that the hardware reads.', {
    operands: OUTPUTS,
    parameters: ['systemValue'],
    aliases: ['dcl_output_sv'],
  }),
  {
    ...declaration(
      'dcl_indexrange',
      91,
      'index-range',
      '22.3.30',
      'Declares inputs or outputs that are indexed at run time.',
      {
        enumName: 'DCL_INDEX_RANGE',
        operands: of('input', 'output', 'input-control-point', 'output-control-point', 'patch-constant'),
        parameters: ['count'],
      },
    ),
    aliases: ['dcl_indexRange'],
  },
]

const RESOURCE_ROWS: readonly InstructionRow[] = [
  {
    ...declaration('dcl_resource', 88, 'resource', '22.3.12', 'Declares a typed buffer or texture.', {
      operands: of('resource'),
      parameters: ['returnTypes', 'space'],
      controls: [C.DIMENSION, C.SAMPLE_COUNT],
    }),
  },
  {
    ...declaration(
      'dcl_constantbuffer',
      89,
      'constant-buffer',
      '22.3.3',
      'Declares a constant buffer and how it is indexed.',
      {
        enumName: 'DCL_CONSTANT_BUFFER',
        operands: of('constant-buffer'),
        parameters: ['size', 'space'],
        controls: [C.ACCESS_PATTERN],
      },
    ),
    aliases: ['dcl_constantBuffer'],
  },
  declaration('dcl_sampler', 90, 'sampler', '22.3.34', 'Declares a sampler.', {
    operands: of('sampler'),
    parameters: ['space'],
    controls: [C.SAMPLER_MODE],
  }),
  {
    ...declaration('dcl_uav_typed', 156, 'uav-typed', '22.3.42', 'Declares a typed UAV.', {
      enumName: 'DCL_UNORDERED_ACCESS_VIEW_TYPED',
      operands: of('uav'),
      parameters: ['returnTypes', 'space'],
      controls: [C.DIMENSION, C.GLOBALLY_COHERENT, C.RASTERIZER_ORDERED],
    }),
    since: SM50,
  },
  {
    ...declaration('dcl_uav_raw', 157, 'uav-raw', '22.3.43', 'Declares a raw UAV.', {
      enumName: 'DCL_UNORDERED_ACCESS_VIEW_RAW',
      operands: of('uav'),
      parameters: ['space'],
      controls: [C.GLOBALLY_COHERENT, C.RASTERIZER_ORDERED],
    }),
    since: SM50,
    downlevel: 'compute',
  },
  {
    ...declaration(
      'dcl_uav_structured',
      158,
      'uav-structured',
      '22.3.44',
      'Declares a structured UAV and its stride in bytes.',
      {
        enumName: 'DCL_UNORDERED_ACCESS_VIEW_STRUCTURED',
        operands: of('uav'),
        parameters: ['stride', 'space'],
        controls: [C.GLOBALLY_COHERENT, C.RASTERIZER_ORDERED, C.COUNTER],
      },
    ),
    since: SM50,
    downlevel: 'compute',
  },
  {
    ...declaration(
      'dcl_tgsm_raw',
      159,
      'tgsm-raw',
      '22.3.45',
      'Declares raw thread group shared memory and its size in bytes.',
      { enumName: 'DCL_THREAD_GROUP_SHARED_MEMORY_RAW', operands: of('tgsm'), parameters: ['byteCount'] },
    ),
    since: SM50,
    stages: COMPUTE_ONLY,
  },
  {
    ...declaration(
      'dcl_tgsm_structured',
      160,
      'tgsm-structured',
      '22.3.46',
      'Declares structured thread group shared memory: stride in bytes and number of structures.',
      { enumName: 'DCL_THREAD_GROUP_SHARED_MEMORY_STRUCTURED', operands: of('tgsm'), parameters: ['stride', 'count'] },
    ),
    since: SM50,
    downlevel: 'compute',
    stages: COMPUTE_ONLY,
  },
  {
    ...declaration('dcl_resource_raw', 161, 'resource-raw', '22.3.47', 'Declares a raw buffer.', {
      operands: of('resource'),
      parameters: ['space'],
    }),
    since: SM50,
    downlevel: 'all',
  },
  {
    ...declaration(
      'dcl_resource_structured',
      162,
      'resource-structured',
      '22.3.48',
      'Declares a structured buffer and its stride in bytes.',
      { operands: of('resource'), parameters: ['stride', 'space'] },
    ),
    since: SM50,
    downlevel: 'all',
  },
]

const PROGRAM_ROWS: readonly InstructionRow[] = [
  instruction({
    mnemonic: 'customdata',
    opcode: 53,
    traits: { kind: 'custom-data' },
    aliases: ['dcl_immediateConstantBuffer'],
    summary: 'Data among the instructions: the immediate constant buffer, messages, comments, debug information.',
    spec: '22.3.4',
  }),
  declaration('dcl_temps', 104, 'temps', '22.3.35', 'Declares the number of temporary registers.', {
    parameters: ['count'],
  }),
  declaration('dcl_indexableTemp', 105, 'indexable-temp', '22.3.36', 'Declares an array of temporary registers.', {
    enumName: 'DCL_INDEXABLE_TEMP',
    parameters: ['register', 'count', 'components'],
  }),
  declaration('dcl_globalFlags', 106, 'global-flags', '22.3.2', 'Declares what holds for the whole program.', {
    enumName: 'DCL_GLOBAL_FLAGS',
    controls: [C.GLOBAL_FLAGS],
  }),
  {
    ...declaration(
      'dcl_thread_group',
      155,
      'thread-group',
      '22.3.40',
      'Declares the number of threads of a group in x, y and z.',
      { parameters: ['x', 'y', 'z'] },
    ),
    since: SM50,
    downlevel: 'compute',
    stages: COMPUTE_ONLY,
  },
  {
    ...declaration('dcl_function_body', 144, 'function-body', '22.3.49', 'Declares a function body.', {
      parameters: ['body'],
    }),
    since: SM50,
  },
  {
    ...declaration(
      'dcl_function_table',
      145,
      'function-table',
      '22.3.50',
      'Declares a table of function bodies: the methods of a class.',
      { parameters: ['table', 'count', '...'] },
    ),
    since: SM50,
    longForm: true,
  },
  {
    ...declaration(
      'dcl_interface',
      146,
      'interface',
      '22.3.51',
      'Declares interface pointers and the function tables they may point to.',
      { parameters: ['interface', 'callSites', 'lengths', '...'], controls: [C.DYNAMICALLY_INDEXED] },
    ),
    since: SM50,
    longForm: true,
  },
]

const GEOMETRY_ROWS: readonly InstructionRow[] = [
  {
    ...declaration(
      'dcl_outputtopology',
      92,
      'gs-output-topology',
      '22.3.8',
      'Declares the primitive topology that a geometry shader writes.',
      { enumName: 'DCL_GS_OUTPUT_PRIMITIVE_TOPOLOGY', controls: [C.OUTPUT_TOPOLOGY] },
    ),
    stages: GEOMETRY_ONLY,
    aliases: ['dcl_outputTopology'],
  },
  {
    ...declaration(
      'dcl_inputprimitive',
      93,
      'gs-input-primitive',
      '22.3.6',
      'Declares the primitive that a geometry shader reads.',
      { enumName: 'DCL_GS_INPUT_PRIMITIVE', controls: [C.INPUT_PRIMITIVE] },
    ),
    stages: GEOMETRY_ONLY,
    aliases: ['dcl_inputPrimitive'],
  },
  {
    ...declaration(
      'dcl_maxout',
      94,
      'gs-max-output',
      '22.3.5',
      'Declares the most vertices that one run of a geometry shader emits.',
      { enumName: 'DCL_MAX_OUTPUT_VERTEX_COUNT', parameters: ['count'] },
    ),
    stages: GEOMETRY_ONLY,
    aliases: ['dcl_maxOutputVertexCount'],
  },
  {
    ...declaration(
      'dcl_stream',
      143,
      'stream',
      '22.3.9',
      'Declares an output stream; the output declarations that follow are its.',
      { operands: of('stream') },
    ),
    since: SM50,
    stages: GEOMETRY_ONLY,
  },
  {
    ...declaration(
      'dcl_gsinstances',
      206,
      'gs-instances',
      '22.3.7',
      'Declares how many times a geometry shader runs per primitive.',
      { enumName: 'DCL_GS_INSTANCE_COUNT', parameters: ['count'] },
    ),
    since: SM50,
    stages: GEOMETRY_ONLY,
  },
]

function tessellation(
  mnemonic: string,
  opcode: number,
  declares: DeclarationForm,
  spec: string,
  summary: string,
  shape: Shape,
): InstructionRow {
  return { ...declaration(mnemonic, opcode, declares, spec, summary, shape), since: SM50, stages: HULL_ONLY }
}

const TESSELLATION_ROWS: readonly InstructionRow[] = [
  {
    ...tessellation(
      'dcl_input_control_point_count',
      147,
      'input-control-points',
      '22.3.18',
      'Declares the number of control points of the input patch.',
      { controls: [C.CONTROL_POINTS] },
    ),
    stages: HULL_DOMAIN,
  },
  tessellation(
    'dcl_output_control_point_count',
    148,
    'output-control-points',
    '22.3.19',
    'Declares the number of control points that a hull shader writes.',
    { controls: [C.CONTROL_POINTS] },
  ),
  {
    ...tessellation(
      'dcl_tessellator_domain',
      149,
      'tess-domain',
      '22.3.16',
      'Declares the domain of the tessellator.',
      { enumName: 'DCL_TESS_DOMAIN', controls: [C.DOMAIN] },
    ),
    stages: HULL_DOMAIN,
  },
  tessellation(
    'dcl_tessellator_partitioning',
    150,
    'tess-partitioning',
    '22.3.17',
    'Declares how the tessellator divides edges.',
    { enumName: 'DCL_TESS_PARTITIONING', controls: [C.PARTITIONING] },
  ),
  tessellation(
    'dcl_tessellator_output_primitive',
    151,
    'tess-output-primitive',
    '22.3.15',
    'Declares what the tessellator puts out.',
    { enumName: 'DCL_TESS_OUTPUT_PRIMITIVE', controls: [C.OUTPUT_PRIMITIVE] },
  ),
  tessellation(
    'dcl_hs_max_tessfactor',
    152,
    'hs-max-tessfactor',
    '22.3.20',
    'Declares the largest tessellation factor, a float.',
    { parameters: ['factor'] },
  ),
  tessellation(
    'dcl_hs_fork_phase_instance_count',
    153,
    'hs-fork-instances',
    '22.3.24',
    'Declares how many instances of a fork phase run.',
    { parameters: ['count'] },
  ),
  tessellation(
    'dcl_hs_join_phase_instance_count',
    154,
    'hs-join-instances',
    '22.3.27',
    'Declares how many instances of a join phase run.',
    { parameters: ['count'] },
  ),
]

export const DECLARATION_ROWS: readonly InstructionRow[] = [
  ...INPUT_OUTPUT_ROWS,
  ...RESOURCE_ROWS,
  ...PROGRAM_ROWS,
  ...GEOMETRY_ROWS,
  ...TESSELLATION_ROWS,
]
