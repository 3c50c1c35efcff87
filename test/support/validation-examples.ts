/**
 * For each rule of the validator one program that breaks it, and nothing else, and one that just does not. Programs are
 * texts; what fxc's listing cannot say is in the annotations of the dialect `lossless`.
 */
export interface ProgramExample {
  readonly breaks: string
  readonly holds: string
}

const text = (profile: string, lines: readonly string[]): string => [profile, ...lines, 'ret'].join('\n')
const ps = (...lines: string[]): string => text('ps_5_0', lines)
const ps40 = (...lines: string[]): string => text('ps_4_0', lines)
const ps51 = (...lines: string[]): string => text('ps_5_1', lines)
const vs = (...lines: string[]): string => text('vs_5_0', lines)
const cs = (...lines: string[]): string => text('cs_5_0', ['dcl_thread_group 64, 1, 1', ...lines])
const cs40 = (...lines: string[]): string => text('cs_4_0', ['dcl_thread_group 64, 1, 1', ...lines])

const TEX = '(float,float,float,float)'
const UINTS = '(uint,uint,uint,uint)'
const T0 = `dcl_resource_texture2d ${TEX} t0`
const S0 = 'dcl_sampler s0, mode_default'
const TWO = ['dcl_temps 2', 'mov r0.xyzw, l(0,0,0,0)', 'mov r1.xyzw, l(0,0,0,0)']
const DOUBLES = ['dcl_globalFlags refactoringAllowed | enableDoublePrecisionFloatOps', ...TWO]

const gs = (...lines: string[]): string => text('gs_5_0', ['dcl_inputprimitive point', ...lines])
const GS_POINTS = ['dcl_stream m0', 'dcl_outputtopology pointlist', 'dcl_output o0.xyzw', 'dcl_maxout 1']

const HS_HEAD = [
  'hs_decls',
  'dcl_input_control_point_count 3',
  'dcl_output_control_point_count 3',
  'dcl_tessellator_domain domain_tri',
  'dcl_tessellator_partitioning partitioning_integer',
  'dcl_tessellator_output_primitive output_triangle_cw',
]
const HS_POINT = ['hs_control_point_phase', 'dcl_input vOutputControlPointID', 'dcl_output o0.x']
const HS_POINT_CODE = ['mov o0.x, vOutputControlPointID', 'ret']
const HS_FORK = ['hs_fork_phase', 'dcl_output o0.x', 'mov o0.x, l(1.000000)', 'ret']
const HS_JOIN = ['hs_join_phase', 'dcl_output o0.y', 'mov o0.y, l(1.000000)', 'ret']
const hs = (...lines: readonly string[]): string => ['hs_5_0', ...lines].join('\n')
const replaced = (lines: readonly string[], from: string, to: string): readonly string[] => {
  if (!lines.includes(from)) throw new Error(`no line ${from}`)
  return lines.map((line) => (line === from ? to : line))
}

const lines = (count: number, line: (i: number) => string): string[] => Array.from({ length: count }, (_, i) => line(i))

const TOKENS: Readonly<Record<string, ProgramExample>> = {
  'validate-version': { breaks: 'ps_5_2\nret', holds: 'ps_5_1\nret' },
  'validate-spare-bits': { breaks: ps('nop {token controls=0x800}'), holds: ps('nop') },
  'validate-saturate': {
    breaks: ps(...TWO, 'iadd r0.x, r0.x, r1.x{raw precision=0} {token controls=0x2000}'),
    holds: ps(...TWO, 'add r0.x, r0.x, r1.x{raw precision=0} {token controls=0x2000}'),
  },
  'validate-precise': {
    breaks: ps('nop {token controls=0x80000}'),
    holds: ps(...TWO, 'mul [precise(x)] r0.x, r0.x, r1.x'),
  },
  'validate-extended-opcode': {
    breaks: ps(...TWO, 'add r0.x, r0.x, r1.x{raw precision=0} {token extended=1}'),
    holds: ps(T0, S0, ...TWO, 'sample_aoffimmi(1,0,0) r0.xyzw, r1.xyxx, t0.xyzw, s0'),
  },
  'validate-parameter-count': {
    breaks: ps(...TWO, 'add r0.x, r0.x, r1.x{raw precision=0} {token parameters=7}'),
    holds: ps(...TWO, 'add r0.x, r0.x, r1.x'),
  },
  'validate-operand-token': {
    breaks: ps(...TWO, 'mov r0.x, r1.x{raw components=n mode=mask selection=0}'),
    holds: ps(...TWO, 'mov r0.x, r1.x'),
  },
  'validate-return-type-control': {
    breaks: ps(T0, ...TWO, 'resinfo r0.xyzw, l(0), t0.xyzw{raw precision=0} {token controls=0x1800}'),
    holds: ps(T0, ...TWO, 'resinfo_uint r0.xyzw, l(0), t0.xyzw'),
  },
  'validate-immediate-constant-buffer': {
    breaks: ps('dcl_immediateConstantBuffer { { 0, 0, 0, 0} }', 'dcl_immediateConstantBuffer { { 0, 0, 0, 0} }'),
    holds: ps('dcl_immediateConstantBuffer { { 0, 0, 0, 0} }'),
  },
}

const OPERANDS: Readonly<Record<string, ProgramExample>> = {
  'validate-operand-file': {
    breaks: ps('dcl_output o0.xyzw', 'dcl_temps 1', 'mov o0.xyzw, l(0,0,0,0)', 'mov r0.xyzw, o0.xyzw'),
    holds: ps('dcl_output o0.xyzw', 'dcl_temps 1', 'mov r0.xyzw, l(0,0,0,0)', 'mov o0.xyzw, r0.xyzw'),
  },
  'validate-register-stage': {
    breaks: ps('dcl_input vThreadID.x', 'dcl_temps 1', 'mov r0.x, vThreadID.x'),
    holds: cs('dcl_input vThreadID.x', 'dcl_temps 1', 'mov r0.x, vThreadID.x'),
  },
  'validate-phase-register': {
    breaks: hs(...HS_HEAD, 'hs_fork_phase', 'dcl_input vOutputControlPointID', 'ret'),
    holds: hs(...HS_HEAD, 'hs_control_point_phase', 'dcl_input vOutputControlPointID', 'ret'),
  },
  'validate-index-dimension': {
    breaks: ps('dcl_resource_texture2d (float,float,float,float) t0[0]'),
    holds: ps(T0),
  },
  'validate-index-form': {
    breaks: ps40('dcl_constantbuffer CB0[4], dynamicIndexed', ...TWO, 'mov r0.x, cb[r0.x + 0][1].x'),
    holds: ps('dcl_constantbuffer CB0[4], dynamicIndexed', ...TWO, 'mov r0.x, cb[r0.x + 0][1].x'),
  },
  'validate-index-register': {
    breaks: ps('dcl_constantbuffer CB0[4], dynamicIndexed', ...TWO, 'mov r0.x, cb0[r1.xyzw + 0].x'),
    holds: ps('dcl_constantbuffer CB0[4], dynamicIndexed', ...TWO, 'mov r0.x, cb0[r1.x + 0].x'),
  },
  'validate-source-modifier': {
    breaks: ps(...TWO, 'iadd r0.x, r0.x, |r1.x|'),
    holds: ps(...TWO, 'iadd r0.x, r0.x, -r1.x'),
  },
  'validate-component-selection': {
    breaks: ps(...TWO, 'mov r0.xy, r1.xy{raw mode=mask selection=3}'),
    holds: ps(...TWO, 'mov r0.xy, r1.xyxx'),
  },
  'validate-scalar-operand': {
    breaks: ps(...TWO, 'if_nz r0.xyzw', 'endif'),
    holds: ps(...TWO, 'if_nz r0.x', 'endif'),
  },
  'validate-write-mask': {
    breaks: ps(...TWO, 'mov r0.x{raw selection=0}, r1.x'),
    holds: ps(...TWO, 'mov r0.x, r1.x'),
  },
  'validate-double-mask': {
    breaks: ps(...DOUBLES, 'dadd r0.xyz, r0.xyzw, r1.xyzw'),
    holds: ps(...DOUBLES, 'dadd r0.zw, r0.xyzw, r1.xyzw'),
  },
  'validate-double-swizzle': {
    breaks: ps(...DOUBLES, 'dadd r0.xy, r0.yzzw, r1.xyzw'),
    holds: ps(...DOUBLES, 'dadd r0.xy, r0.zwzw, r1.xyzw'),
  },
  'validate-min-precision': {
    breaks: ps(...TWO, 'mov r0.x, r1.x {min16f}'),
    holds: ps('dcl_globalFlags refactoringAllowed | enableMinimumPrecision', ...TWO, 'mov r0.x, r1.x {min16f}'),
  },
  'validate-non-uniform': {
    breaks: ps(T0, ...TWO, 'ld r0.xyzw, r1.xyzw, t0.xyzw { nonuniform }'),
    holds: ps51(
      'dcl_resource_texture2d (float,float,float,float) T0[0:3], space=0',
      ...TWO,
      'ld r0.xyzw, r1.xyzw, T0[r1.x + 0].xyzw { nonuniform }',
    ),
  },
  'validate-shift-amount': {
    breaks: ps40(...TWO, 'ishl r0.xy, r0.xyxx, r1.xyxx'),
    holds: ps40(...TWO, 'ishl r0.xy, r0.xyxx, r1.yyyy'),
  },
}

const ACCESS: Readonly<Record<string, ProgramExample>> = {
  'validate-store-mask': {
    breaks: cs('dcl_uav_raw u0', ...TWO, 'store_raw u0.xz, r0.x, r1.xyzw'),
    holds: cs('dcl_uav_raw u0', ...TWO, 'store_raw u0.xyz, r0.x, r1.xyzx'),
  },
  'validate-access-dimension': {
    breaks: ps('dcl_resource_texture2dms(4) (float,float,float,float) t0', ...TWO, 'ld r0.xyzw, r1.xyzw, t0.xyzw'),
    holds: ps(
      'dcl_resource_texture2dms(4) (float,float,float,float) t0',
      ...TWO,
      'ldms r0.xyzw, r1.xyzw, t0.xyzw, l(0)',
    ),
  },
  'validate-resource-tokens': {
    breaks: ps(T0, ...TWO, `ld_indexable(texture3d)${TEX} r0.xyzw, r1.xyzw, t0.xyzw`),
    holds: ps(T0, ...TWO, `ld_indexable(texture2d)${TEX} r0.xyzw, r1.xyzw, t0.xyzw`),
  },
  'validate-sample-offset': {
    breaks: ps(
      `dcl_resource_texturecube ${TEX} t0`,
      S0,
      ...TWO,
      'sample_aoffimmi(1,0,0) r0.xyzw, r1.xyzx, t0.xyzw, s0',
    ),
    holds: ps(T0, S0, ...TWO, 'sample_aoffimmi(-8,7,0) r0.xyzw, r1.xyxx, t0.xyzw, s0'),
  },
  'validate-address-components': {
    breaks: cs('dcl_uav_structured u0, 4', ...TWO, 'atomic_iadd u0, r0.x, r1.x'),
    holds: cs('dcl_uav_structured u0, 4', ...TWO, 'atomic_iadd u0, r0.xyxx, r1.x'),
  },
  'validate-typed-atomic': {
    breaks: cs(`dcl_uav_typed_buffer ${TEX} u0`, ...TWO, 'atomic_iadd u0, r0.x, r1.x'),
    holds: cs(`dcl_uav_typed_buffer ${UINTS} u0`, ...TWO, 'atomic_iadd u0, r0.x, r1.x'),
  },
  'validate-counter-mixed': {
    breaks: cs('dcl_uav_structured_opc u0, 4', ...TWO, 'imm_atomic_alloc r0.x, u0', 'imm_atomic_consume r1.x, u0'),
    holds: cs(
      'dcl_uav_structured_opc u0, 4',
      'dcl_uav_structured_opc u1, 4',
      ...TWO,
      'imm_atomic_alloc r0.x, u0',
      'imm_atomic_consume r1.x, u1',
    ),
  },
  'validate-sampler-mode': {
    breaks: ps(T0, S0, ...TWO, 'sample_c_lz r0.x, r1.xyxx, t0.xxxx, s0, r1.z'),
    holds: ps(T0, 'dcl_sampler s0, mode_comparison', ...TWO, 'sample_c_lz r0.x, r1.xyxx, t0.xxxx, s0, r1.z'),
  },
  'validate-comparison-component': {
    breaks: ps(T0, 'dcl_sampler s0, mode_comparison', ...TWO, 'sample_c_lz r0.x, r1.xyxx, t0.yyyy, s0, r1.z'),
    holds: ps(T0, 'dcl_sampler s0, mode_comparison', ...TWO, 'sample_c_lz r0.x, r1.xyxx, t0.xxxx, s0, r1.z'),
  },
  'validate-structure-offset': {
    breaks: cs('dcl_resource_structured t0, 16', ...TWO, 'ld_structured r0.xy, r1.x, l(12), t0.xyxx'),
    holds: cs('dcl_resource_structured t0, 16', ...TWO, 'ld_structured r0.xy, r1.x, l(8), t0.xyxx'),
  },
  'validate-gather-component': {
    breaks: text('ps_4_1', [T0, S0, ...TWO, 'gather4 r0.xyzw, r1.xyxx, t0.xyzw, s0.y']),
    holds: ps(T0, S0, ...TWO, 'gather4 r0.xyzw, r1.xyxx, t0.xyzw, s0.y'),
  },
  'validate-result-components': {
    breaks: ps(...DOUBLES, 'deq r0.xyz, r0.xyzw, r1.xyzw'),
    holds: ps(...DOUBLES, 'deq r0.xy, r0.xyzw, r1.xyzw'),
  },
}

const INDEXED = ['dcl_input_ps linear v0.xyzw', 'dcl_input_ps linear v1.xyzw']

const DECLARATIONS: Readonly<Record<string, ProgramExample>> = {
  'validate-undeclared-temp': {
    breaks: ps('dcl_temps 1', 'mov r1.x, l(0)'),
    holds: ps('dcl_temps 1', 'mov r0.x, l(0)'),
  },
  'validate-undeclared-array': {
    breaks: ps('dcl_indexableTemp x0[4], 4', 'mov x1[0].x, l(0)'),
    holds: ps('dcl_indexableTemp x0[4], 4', 'mov x0[0].x, l(0)'),
  },
  'validate-array-bounds': {
    breaks: ps('dcl_indexableTemp x0[4], 4', 'mov x0[4].x, l(0)'),
    holds: ps('dcl_indexableTemp x0[4], 4', 'mov x0[3].x, l(0)'),
  },
  'validate-undeclared-register': {
    breaks: ps('dcl_input_ps linear v0.xy', 'dcl_temps 1', 'mov r0.xyz, v0.xyzx'),
    holds: ps('dcl_input_ps linear v0.xy', 'dcl_temps 1', 'mov r0.xyz, v0.xyxx'),
  },
  'validate-index-range-missing': {
    breaks: ps(...INDEXED, ...TWO, 'mov r1.x, v[r0.x + 0].x'),
    holds: ps(...INDEXED, 'dcl_indexrange v0.xyzw 2', ...TWO, 'mov r1.x, v[r0.x + 0].x'),
  },
  'validate-undeclared-binding': {
    breaks: ps(T0, S0, ...TWO, 'sample r0.xyzw, r1.xyxx, t1.xyzw, s0'),
    holds: ps(T0, S0, ...TWO, 'sample r0.xyzw, r1.xyxx, t0.xyzw, s0'),
  },
  'validate-constant-bounds': {
    breaks: ps('dcl_constantbuffer CB0[4], immediateIndexed', 'dcl_temps 1', 'mov r0.x, cb0[4].x'),
    holds: ps('dcl_constantbuffer CB0[4], immediateIndexed', 'dcl_temps 1', 'mov r0.x, cb0[3].x'),
  },
  'validate-constant-indexing': {
    breaks: ps('dcl_constantbuffer CB0[4], immediateIndexed', ...TWO, 'mov r0.x, cb0[r1.x + 0].x'),
    holds: ps('dcl_constantbuffer CB0[4], dynamicIndexed', ...TWO, 'mov r0.x, cb0[r1.x + 0].x'),
  },
  'validate-immediate-constant-bounds': {
    breaks: ps('dcl_immediateConstantBuffer { { 0, 0, 0, 0} }', 'dcl_temps 1', 'mov r0.x, icb[1].x'),
    holds: ps('dcl_immediateConstantBuffer { { 0, 0, 0, 0} }', 'dcl_temps 1', 'mov r0.x, icb[0].x'),
  },
  'validate-duplicate-binding': { breaks: ps(T0, T0), holds: ps(T0, `dcl_resource_texture2d ${TEX} t1`) },
  'validate-duplicate-register': {
    breaks: ps('dcl_input_ps linear v0.xy', 'dcl_input_ps linear v0.yz'),
    holds: ps('dcl_input_ps linear v0.xy', 'dcl_input_ps linear v0.zw'),
  },
  'validate-duplicate-declaration': {
    breaks: ps('dcl_temps 1', 'dcl_temps 1'),
    holds: hs(...HS_HEAD, ...lines(2, () => 'hs_fork_phase\ndcl_temps 1\nret')),
  },
  'validate-declaration-order': {
    breaks: ps('dcl_temps 1', 'mov r0.x, l(0)', T0),
    holds: ps('dcl_temps 1', T0, 'mov r0.x, l(0)'),
  },
  'validate-unwritten-temp': {
    breaks: ps('dcl_temps 2', 'mov r0.x, r1.x'),
    holds: ps('dcl_temps 2', 'mov r1.x, l(0)', 'mov r0.x, r1.x'),
  },
}

const PAST_WORDS = 'dcl_tgsm_raw g0, 32768'

const LIMITS: Readonly<Record<string, ProgramExample>> = {
  'validate-temp-limit': {
    breaks: ps('dcl_temps 1', 'dcl_indexableTemp x0[4096], 4'),
    holds: ps('dcl_temps 1', 'dcl_indexableTemp x0[4095], 4'),
  },
  'validate-array-declaration': {
    breaks: ps('dcl_indexableTemp x0[0], 4'),
    holds: ps('dcl_indexableTemp x0[1], 4'),
  },
  'validate-slot-limit': {
    breaks: ps('dcl_sampler s16, mode_default'),
    holds: ps('dcl_sampler s15, mode_default'),
  },
  'validate-binding-range': {
    breaks: ps51('dcl_sampler S0[3:2], mode_default, space=0'),
    holds: ps51('dcl_sampler S0[3:3], mode_default, space=0'),
  },
  'validate-constant-buffer-size': {
    breaks: ps('dcl_constantbuffer CB0[4097], immediateIndexed'),
    holds: ps('dcl_constantbuffer CB0[4096], immediateIndexed'),
  },
  'validate-register-limit': { breaks: ps('dcl_output o8.xyzw'), holds: ps('dcl_output o7.xyzw') },
  'validate-thread-group': {
    breaks: 'cs_5_0\ndcl_thread_group 64, 17, 1\nret',
    holds: 'cs_5_0\ndcl_thread_group 64, 16, 1\nret',
  },
  'validate-shared-memory-size': { breaks: cs(PAST_WORDS, 'dcl_tgsm_raw g1, 4'), holds: cs(PAST_WORDS) },
  'validate-shared-memory-declaration': { breaks: cs('dcl_tgsm_raw g0, 6'), holds: cs('dcl_tgsm_raw g0, 8') },
  'validate-stride': { breaks: cs('dcl_uav_structured u0, 2052'), holds: cs('dcl_uav_structured u0, 2048') },
  'validate-declared-dimension': {
    breaks: cs(`dcl_uav_typed_texturecube ${TEX} u0`),
    holds: cs(`dcl_uav_typed_texture2darray ${TEX} u0`),
  },
  'validate-return-type': {
    breaks: ps(`${T0}{raw precision=0} {token parameters=0}`),
    holds: ps('dcl_resource_texture2d (unorm,snorm,uint,sint) t0'),
  },
  'validate-sampler-declaration': {
    breaks: ps(`${S0} {token controls=0x1800}`),
    holds: ps('dcl_sampler s0, mode_comparison'),
  },
  'validate-interpolation': {
    breaks: ps40('dcl_input_ps linear sample v0.xyzw'),
    holds: ps('dcl_input_ps linear sample v0.xyzw'),
  },
  'validate-rasterizer-ordered': {
    breaks: cs('dcl_uav_raw_rov u0'),
    holds: ps('dcl_uav_raw_rov u0'),
  },
  'validate-downlevel-counter': {
    breaks: cs40('dcl_uav_structured_opc u0, 16'),
    holds: cs40('dcl_uav_structured u0, 16'),
  },
}

const OWN = 'dcl_input vThreadIDInGroupFlattened'

const STAGES: Readonly<Record<string, ProgramExample>> = {
  'validate-opcode-model': {
    breaks: ps40(...TWO, 'rcp r0.x, r1.x'),
    holds: ps(...TWO, 'rcp r0.x, r1.x'),
  },
  'validate-opcode-stage': {
    breaks: vs(...TWO, 'discard_nz r0.x'),
    holds: ps(...TWO, 'discard_nz r0.x'),
  },
  'validate-derivative-stage': {
    breaks: vs(T0, S0, ...TWO, 'sample r0.xyzw, r1.xyxx, t0.xyzw, s0'),
    holds: vs(T0, S0, ...TWO, 'sample_l r0.xyzw, r1.xyxx, t0.xyzw, s0, l(0.000000)'),
  },
  'validate-feature-flag': {
    breaks: ps(...TWO, 'dadd r0.xy, r0.xyxy, r1.xyxy'),
    holds: ps(...DOUBLES, 'dadd r0.xy, r0.xyxy, r1.xyxy'),
  },
  'validate-sync-flags': { breaks: ps('sync_g_t'), holds: ps('sync_uglobal') },
  'validate-system-value': {
    breaks: vs('dcl_input_sgv v0.x, is_front_face'),
    holds: ps('dcl_input_ps_sgv constant v0.x, is_front_face'),
  },
  'validate-downlevel-uav': {
    breaks: cs40('dcl_uav_raw u0', 'dcl_uav_raw u1'),
    holds: cs40('dcl_uav_raw u0'),
  },
  'validate-downlevel-shared-count': {
    breaks: cs40('dcl_tgsm_structured g0, 16, 65'),
    holds: cs40('dcl_tgsm_structured g0, 16, 64'),
  },
  'validate-downlevel-shared-stride': {
    breaks: 'cs_4_0\ndcl_tgsm_structured g0, 260, 32\ndcl_thread_group 32, 1, 1\nret',
    holds: 'cs_4_0\ndcl_tgsm_structured g0, 256, 32\ndcl_thread_group 32, 1, 1\nret',
  },
  'validate-downlevel-shared-write': {
    breaks: cs40('dcl_tgsm_structured g0, 16, 64', ...TWO, 'store_structured g0.x, r0.x, l(0), r1.x'),
    holds: cs40(
      OWN,
      'dcl_tgsm_structured g0, 16, 64',
      ...TWO,
      'store_structured g0.x, vThreadIDInGroupFlattened.x, l(0), r1.x',
    ),
  },
  'validate-eval-position': {
    breaks: ps('dcl_input_ps_siv linear noperspective v0.xy, position', 'dcl_temps 1', 'eval_centroid r0.xy, v0.xyxx'),
    holds: ps('dcl_input_ps linear v0.xy', 'dcl_temps 1', 'eval_centroid r0.xy, v0.xyxx'),
  },
}

const nest = (depth: number): string[] => [...lines(depth, () => 'loop'), ...lines(depth, () => 'break\nendloop')]
/** A chain of subroutines, each calling the next. */
const chain = (depth: number): string =>
  `ps_5_0\ncall label1\nret\n${lines(depth, (i) => `label label${i + 1}${i + 1 < depth ? `\ncall label${i + 2}` : ''}\nret`).join('\n')}`

const FLOW: Readonly<Record<string, ProgramExample>> = {
  'validate-block-pairing': {
    breaks: ps(...TWO, 'if_nz r0.x', 'loop', 'endif', 'break', 'endloop', 'endif'),
    holds: ps(...TWO, 'if_nz r0.x', 'loop', 'break', 'endloop', 'else', 'endif'),
  },
  'validate-block-nesting': { breaks: ps(...nest(65)), holds: ps(...nest(64)) },
  'validate-break': {
    breaks: ps(...TWO, 'if_nz r0.x', 'break', 'endif'),
    holds: ps(...TWO, 'loop', 'if_nz r0.x', 'break', 'endif', 'endloop'),
  },
  'validate-case': {
    breaks: ps(...TWO, 'switch r0.x', 'case l(1)', 'break', 'case l(1)', 'break', 'endswitch'),
    holds: ps(...TWO, 'switch r0.x', 'case l(1)', 'case l(2)', 'break', 'default', 'break', 'endswitch'),
  },
  'validate-case-fall-through': {
    breaks: ps(...TWO, 'switch r0.x', 'case l(1)', 'mov r0.y, l(1)', 'case l(2)', 'break', 'endswitch'),
    holds: ps(
      ...TWO,
      ...['switch r0.x', 'case l(1)', 'if_nz r0.y', 'break', 'else', 'ret', 'endif', 'case l(2)', 'break', 'endswitch'],
    ),
  },
  'validate-missing-ret': {
    breaks: `ps_5_0\n${TWO.join('\n')}\nretc_nz r0.x`,
    holds: `ps_5_0\n${TWO.join('\n')}\nretc_nz r0.x\nret`,
  },
  'validate-label': {
    breaks: 'ps_5_0\ncall label1\nret\nlabel label0\nret',
    holds: 'ps_5_0\ncall label0\nret\nlabel label0\nret',
  },
  'validate-recursion': {
    breaks: 'ps_5_0\ncall label0\nret\nlabel label0\ncall label0\nret',
    holds: 'ps_5_0\ncall label0\ncall label0\nret\nlabel label0\nret',
  },
  'validate-call-depth': { breaks: chain(33), holds: chain(32) },
  'validate-divergent-sync': {
    breaks: cs(OWN, 'dcl_temps 1', 'ult r0.x, vThreadIDInGroupFlattened.x, l(32)', 'if_nz r0.x', 'sync_g_t', 'endif'),
    holds: cs(
      'dcl_input vThreadGroupID.x',
      'dcl_temps 1',
      ...['ult r0.x, vThreadGroupID.x, l(32)', 'if_nz r0.x', 'sync_g_t', 'endif'],
    ),
  },
}

const BODIES = ['dcl_function_body fb0', 'dcl_function_body fb1', 'dcl_function_table ft0 = {fb0}']
const BODY_CODE = 'label fb0\nret\nlabel fb1\nret'
const functions = (...middle: string[]): string => `${ps(...BODIES, ...middle)}\n${BODY_CODE}`
const FP0 = 'dcl_interface fp0[1][1] = {ft0}'
const pointers = (count: number): string => `dcl_interface fp0[${count}][1] = {ft0}`

const FUNCTIONS: Readonly<Record<string, ProgramExample>> = {
  'validate-function-list': {
    breaks: functions('dcl_function_table ft1 = {fb1} {token parameters=1:2:1}'),
    holds: functions('dcl_function_table ft1 = {fb1}'),
  },
  'validate-function-body': { breaks: ps('dcl_function_body fb0'), holds: functions() },
  'validate-function-table': {
    breaks: functions('dcl_function_table ft1 = {fb2}'),
    holds: functions('dcl_function_table ft1 = {fb1}'),
  },
  'validate-interface': {
    breaks: functions('dcl_interface fp0[1][2] = {ft0}'),
    holds: functions(FP0),
  },
  'validate-interface-call': {
    breaks: functions(FP0, 'fcall fp0[0][1]'),
    holds: functions(FP0, 'fcall fp0[0][0]'),
  },
  'validate-interface-limit': { breaks: functions(pointers(254)), holds: functions(pointers(253)) },
  'validate-call-site-limit': {
    breaks: functions(FP0, ...lines(4097, () => 'fcall fp0[0][0]')),
    holds: functions(FP0, ...lines(4096, () => 'fcall fp0[0][0]')),
  },
}

const MAX_FACTOR = (factor: string): string[] => [...HS_HEAD, `dcl_hs_max_tessfactor l(${factor})`, ...HS_FORK]

const TWO_STREAMS = [
  ...['dcl_stream m0', 'dcl_outputtopology pointlist', 'dcl_output o0.x'],
  ...['dcl_stream m1', 'dcl_outputtopology pointlist', 'dcl_output o0.x', 'dcl_maxout 1'],
]

/** A hull shader of 32 control points with so many registers of four scalars. */
const manyControlPoints = (registers: number): readonly string[] => [
  ...replaced(HS_HEAD, 'dcl_output_control_point_count 3', 'dcl_output_control_point_count 32'),
  'hs_control_point_phase',
  ...lines(registers, (i) => `dcl_output o${i}.xyzw`),
  'ret',
]

const PIPELINE: Readonly<Record<string, ProgramExample>> = {
  'validate-phase-order': {
    breaks: hs(...HS_HEAD, ...HS_JOIN, ...HS_FORK),
    holds: hs(...HS_HEAD, ...HS_POINT, ...HS_POINT_CODE, ...HS_FORK, ...HS_JOIN),
  },
  'validate-stage-declaration': {
    breaks: 'gs_5_0\ndcl_inputprimitive point\ndcl_outputtopology pointlist\nret',
    holds: 'gs_5_0\ndcl_inputprimitive point\ndcl_outputtopology pointlist\ndcl_maxout 1\nret',
  },
  'validate-stage-choice': {
    breaks: 'gs_5_0\ndcl_inputprimitive point {token controls=0x2000}\ndcl_outputtopology pointlist\ndcl_maxout 1\nret',
    holds: 'gs_5_0\ndcl_inputprimitive lineadj\ndcl_outputtopology trianglestrip\ndcl_maxout 1\nret',
  },
  'validate-control-point-count': {
    breaks: hs(
      ...replaced(HS_HEAD, 'dcl_input_control_point_count 3', 'dcl_input_control_point_count 33'),
      ...HS_POINT,
      ...HS_POINT_CODE,
    ),
    holds: hs(
      ...replaced(HS_HEAD, 'dcl_input_control_point_count 3', 'dcl_input_control_point_count 32'),
      ...HS_POINT,
      ...HS_POINT_CODE,
    ),
  },
  'validate-tessellator': {
    breaks: hs(...replaced(HS_HEAD, 'dcl_tessellator_domain domain_tri', 'dcl_tessellator_domain domain_isoline')),
    holds: hs(...HS_HEAD),
  },
  'validate-pass-through': {
    breaks: hs(...replaced(HS_HEAD, 'dcl_output_control_point_count 3', 'dcl_output_control_point_count 4')),
    holds: hs(...replaced(HS_HEAD, 'dcl_output_control_point_count 3', 'dcl_output_control_point_count 0')),
  },
  'validate-max-tess-factor': {
    breaks: hs(...MAX_FACTOR('64.500000')),
    holds: hs(...MAX_FACTOR('64.000000')),
  },
  'validate-phase-instances': {
    breaks: hs(...HS_HEAD, 'hs_fork_phase', 'dcl_hs_fork_phase_instance_count 0', 'ret'),
    holds: hs(...HS_HEAD, 'hs_fork_phase', 'dcl_hs_fork_phase_instance_count 1', 'ret'),
  },
  'validate-vertex-count': {
    breaks: gs('dcl_outputtopology pointlist', 'dcl_output o0.xyzw', 'dcl_output o1.xyz', 'dcl_maxout 147'),
    holds: gs('dcl_outputtopology pointlist', 'dcl_output o0.xyzw', 'dcl_output o1.xyz', 'dcl_maxout 146'),
  },
  'validate-gs-instances': {
    breaks: gs('dcl_outputtopology pointlist', 'dcl_maxout 1', 'dcl_gsinstances 33'),
    holds: gs('dcl_outputtopology pointlist', 'dcl_maxout 1', 'dcl_gsinstances 32'),
  },
  'validate-stream': {
    breaks: gs(...GS_POINTS, 'mov o0.xyzw, l(0,0,0,0)', 'emit_stream m1'),
    holds: gs(...GS_POINTS, 'mov o0.xyzw, l(0,0,0,0)', 'emit_stream m0'),
  },
  'validate-stream-emit': {
    breaks: gs(...TWO_STREAMS, 'mov o0.x, l(0)', 'emit'),
    holds: gs(...TWO_STREAMS, 'mov o0.x, l(0)', 'emit_stream m1'),
  },
  'validate-vertex-axis': {
    breaks: gs(...GS_POINTS, 'dcl_input v[1][0].x', 'mov o0.xyzw, v[1][0].xxxx'),
    holds: gs(...GS_POINTS, 'dcl_input v[1][0].x', 'mov o0.xyzw, v[0][0].xxxx'),
  },
  'validate-tess-factor-domain': {
    breaks: hs(...HS_HEAD, 'hs_fork_phase', 'dcl_output_siv o0.x, finalQuadUInsideTessFactor', 'mov o0.x, l(1)', 'ret'),
    holds: hs(...HS_HEAD, 'hs_fork_phase', 'dcl_output_siv o0.x, finalTriInsideTessFactor', 'mov o0.x, l(1)', 'ret'),
  },
  'validate-control-point-size': {
    breaks: hs(...manyControlPoints(32)),
    holds: hs(...manyControlPoints(31)),
  },
  'validate-stream-topology': {
    breaks: gs(
      'dcl_stream m0',
      'dcl_outputtopology pointlist',
      'dcl_stream m1',
      'dcl_outputtopology linestrip',
      'dcl_maxout 1',
    ),
    holds: gs(
      'dcl_stream m0',
      'dcl_outputtopology pointlist',
      'dcl_stream m1',
      'dcl_outputtopology pointlist',
      'dcl_maxout 1',
    ),
  },
  'validate-index-range': {
    breaks: ps(...INDEXED, 'dcl_indexrange v2.xyzw 2'),
    holds: ps(...INDEXED, 'dcl_indexrange v0.xyzw 2'),
  },
  'validate-index-range-overlap': {
    breaks: ps(...INDEXED, 'dcl_indexrange v0.xy 2', 'dcl_indexrange v1.yz 2'),
    holds: ps(...INDEXED, 'dcl_indexrange v0.xy 2', 'dcl_indexrange v0.zw 2'),
  },
}

export const PROGRAM_EXAMPLES: Readonly<Record<string, ProgramExample>> = {
  ...TOKENS,
  ...OPERANDS,
  ...ACCESS,
  ...DECLARATIONS,
  ...LIMITS,
  ...STAGES,
  ...FLOW,
  ...FUNCTIONS,
  ...PIPELINE,
}
