import type { CodeInfo } from '../code-info.ts'

/** Codes of rules of what stages and shader models have. */
export const MODEL_RULES = {
  'validate-opcode-model': {
    severity: 'error',
    title: 'Instruction of a later shader model',
    explanation:
      'The instruction does not exist in the shader model that the version token names. Some of 5.0 are also in 4.x: raw and structured reads in every stage, writes and sync in compute shaders.',
    source: 'functional specification 18.7.2.4, 18.7.2.5, 22.1',
  },
  'validate-opcode-stage': {
    severity: 'error',
    title: 'Instruction of another stage',
    explanation:
      'discard and derivatives are for pixel shaders, emit and cut for geometry shaders, phases for hull shaders, thread groups for compute shaders.',
    source: 'functional specification 22.1',
  },
  'validate-derivative-stage': {
    severity: 'error',
    title: 'Sample that needs derivatives outside a pixel shader',
    explanation:
      'sample, sample_b and sample_c take the level of detail from differences between neighboring pixels. Other stages have no neighbors: they give the level, or its gradients, themselves.',
    source: 'functional specification 7.2',
  },
  'validate-feature-flag': {
    severity: 'error',
    title: 'Optional feature that is not declared',
    explanation:
      'Doubles, their 11.1 extensions and msad are optional: the global flags must ask for them, so that a device without them refuses the shader.',
    source: 'functional specification 22.3.2',
  },
  'validate-sync-flags': {
    severity: 'error',
    title: 'Sync with flags that do not go together',
    explanation:
      'Graphics stages have sync_uglobal alone. In a compute shader at least one fence is named, and UAVs are fenced for the group or for the whole device, not both.',
    source: 'functional specification 22.17.7',
  },
  'validate-system-value': {
    severity: 'error',
    title: 'System value in the wrong place',
    explanation:
      'Tessellation factors are patch constants, is_front_face and the sample index are generated for pixel shaders, and a vertex shader reads nothing that a later stage generates.',
    source: 'functional specification 4.4.4, 4.4.5, 10.10',
  },
  'validate-downlevel-uav': {
    severity: 'error',
    title: 'Second UAV in cs_4_x',
    explanation:
      'Hardware below Direct3D 11 binds one raw or structured UAV at a time. Join the data into one buffer, or use Shader Model 5.0.',
    source: 'functional specification 18.7.2.2',
  },
  'validate-downlevel-shared-count': {
    severity: 'error',
    title: 'Shared memory that is not one structure per thread',
    explanation:
      'In cs_4_0 and cs_4_1 a g# has exactly as many structures as the group has threads. That is how the hardware finds the part that a thread may write.',
    source: 'functional specification 18.7.2.9',
  },
  'validate-downlevel-shared-stride': {
    severity: 'error',
    title: 'Too much shared memory per thread',
    explanation:
      'In cs_4_0 and cs_4_1 the strides of all g# together are limited by the number of threads: 256 bytes for up to 64 threads, 16 bytes for 768.',
    source: 'functional specification 18.7.2.8',
  },
  'validate-downlevel-shared-write': {
    severity: 'error',
    title: 'Write to the shared memory of another thread',
    explanation:
      'In cs_4_0 and cs_4_1 a thread writes only its own structure, indexed by vThreadIDInGroupFlattened, at a byte offset that is a number. It may read all of them.',
    source: 'functional specification 18.7.2.9',
  },
  'validate-eval-position': {
    severity: 'error',
    title: 'Evaluation of the position',
    explanation:
      'eval_snapped, eval_sample_index and eval_centroid evaluate attributes; the position is not one of them. It is computed for the pixel, not interpolated at a place that the program gives.',
    source: 'functional specification 22.4.23, 22.4.24, 22.4.25',
  },
} as const satisfies Record<string, CodeInfo>
