/** Batches of each kind of stage, with the values of a seed, for tests of snapshots. */
import { parseProgram } from '../../src/asm/index.ts'
import type { RecordingSource } from '../../src/debug/index.ts'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { type Batch, type BatchExecution, matchBindings } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createBuffer, createUav, UNDEFINED_POLICIES } from '../../src/machine/index.ts'
import { batchOf, quadsOf } from './batches.ts'
import { Random } from './random/random.ts'
import { checkSnapshots, type SnapshotVerdict, type Started, scheduleOfCase } from './snapshots.ts'

const ENGINE = createReferenceEngine({})

const LOOP = (body: string): string =>
  `mov r1.x, l(0)\nloop\n  uge r1.y, r1.x, r0.x\n  breakc_nz r1.y\n${body}  iadd r1.x, r1.x, l(1)\nendloop\n`

/** By name: loops that lanes leave at different turns, arrays, memory, discard, derivatives, streams, phases. */
const STAGES: Readonly<Record<string, { readonly text: string; readonly entry?: number }>> = {
  vertex: {
    text: `vs_5_0\ndcl_input v0.xy\ndcl_output o0.xyzw\ndcl_temps 3\ndcl_indexableTemp x0[4], 4\nand r0.xy, v0.xyxx, l(7,3,0,0)\nmov x0[0].x, l(5)\nmov x0[r0.y + 0].xy, v0.xyxx\n${LOOP('  imad r2.x, r1.x, l(3), r2.x\n')}mov r2.y, x0[r0.y + 1].x\nmov o0.xyz, r2.xyxx\nret\n`,
  },
  pixel: {
    text: `ps_5_0\ndcl_uav_raw u0\ndcl_input_ps linear v0.xyz\ndcl_output o0.xyzw\ndcl_temps 4\nftou r0.xyz, v0.xyzx\nand r0.xyz, r0.xyzx, l(7,3,1,0)\nutof r2.xy, r0.xyxx\nderiv_rtx_fine r2.z, r2.x\n${LOOP('  imm_atomic_iadd r3.x, u0, l(0), r1.x\n  store_raw u0.x, l(8), r3.x\n')}discard_nz r0.z\nstore_raw u0.x, l(4), r0.y\nutof r2.w, r3.x\nmov o0.xyzw, r2.xyzw\nret\n`,
  },
  'pixels without memory': {
    text: `ps_5_0\ndcl_input_ps linear v0.xyz\ndcl_output o0.xyzw\ndcl_temps 3\nftou r0.xyz, v0.xyzx\nand r0.xyz, r0.xyzx, l(7,3,1,0)\n${LOOP('  iadd r2.x, r2.x, r1.x\n')}discard_nz r0.z\nutof r2.y, r2.x\nderiv_rty_coarse r2.z, r2.y\neval_snapped r2.w, v0.x, r0.xyxx\nmov o0.xyzw, r2.xyzw\nret\n`,
  },
  geometry: {
    text: `gs_5_0\ndcl_input v[1][0].xy\ndcl_temps 2\ndcl_inputprimitive point\ndcl_stream m0\ndcl_outputtopology pointlist\ndcl_output o0.xy\ndcl_stream m1\ndcl_outputtopology pointlist\ndcl_output o1.x\ndcl_maxout 5\nand r0.x, v[0][0].x, l(7)\n${LOOP('  mov o0.x, r1.x\n  mov o0.y, v[0][0].y\n  emit_stream m0\n  mov o1.x, v[0][0].x\n  emit_then_cut_stream m1\n')}ret\n`,
  },
  fork: {
    entry: 1,
    text: 'hs_5_0\nhs_decls\ndcl_input_control_point_count 2\ndcl_output_control_point_count 2\ndcl_tessellator_domain domain_isoline\ndcl_tessellator_partitioning partitioning_integer\ndcl_tessellator_output_primitive output_line\nhs_control_point_phase\ndcl_input vOutputControlPointID\ndcl_input v[2][0].x\ndcl_output o0.x\nmov o0.x, v[0][0].x\nret\nhs_fork_phase\ndcl_hs_fork_phase_instance_count 2\ndcl_input vForkInstanceID\ndcl_input vocp[2][0].x\ndcl_output_siv o0.x, finalLineDensityTessFactor\ndcl_output_siv o1.x, finalLineDetailTessFactor\ndcl_temps 2\ndcl_indexrange o0.x 2\nand r1.x, vForkInstanceID, l(1)\nmov r1.y, vocp[r1.x][0].x\nmov o[r1.x].x, r1.y\nret\n',
  },
}

export const STAGE_NAMES = Object.keys(STAGES)

/** A batch of random inputs, and what it leaves beside memory. */
function startOf(execution: BatchExecution, seed: number, name: string): Started & { readonly batch: Batch } {
  const random = new Random(seed)
  const isPixels = name.startsWith('pixel')
  const count = 4 * (1 + random.below(20)) + (isPixels ? 0 : random.below(4))
  const streamed: string[] = []
  const helpers = Array.from({ length: count }, (_, i) => i).filter(() => random.chance(0.2))
  const batch: Batch = batchOf(execution, count, STAGES[name]!.entry ?? 0, {
    keepsOutputs: name === 'fork',
    ...(isPixels ? { quads: quadsOf(count, helpers) } : {}),
    streams: {
      vertex: (i, stream, words) => streamed.push(`${i} ${stream} ${[...words].join()}`),
      cut: (i, stream) => streamed.push(`${i} ${stream} cut`),
    },
  })
  const bits = new Int32Array(new Float32Array([0]).buffer)
  const floats = new Float32Array(bits.buffer)
  for (let i = 0; i < batch.inputs.length; i++) {
    floats[0] = random.below(1000)
    batch.inputs[i] = isPixels ? bits[0]! : random.below(1000)
  }
  for (let i = 0; i < batch.outputs.length; i++) batch.outputs[i] = random.below(1000)
  execution.start(batch)
  return {
    execution,
    batch,
    left: () => [
      `outputs ${[...batch.outputs].join()}`,
      `discarded ${[...(batch.quads?.discarded ?? [])].join()}`,
      `emitted ${streamed.splice(0).join('; ')}`,
    ],
  }
}

/** A batch of a stage as a time line takes it. */
export function recordedBatch(name: string, seed: number): RecordingSource {
  const shader = valueOrThrow(ENGINE.load(valueOrThrow(parseProgram(STAGES[name]!.text))))
  const buffer = valueOrThrow(createBuffer({ byteLength: 64 }))
  const bindings = valueOrThrow(
    matchBindings(shader.declarations, name === 'pixel' ? { u0: createUav(buffer, { raw: true }) } : {}),
  )
  const options = { schedule: { ...scheduleOfCase(seed), order: 'forward' as const }, maxInstructionsPerThread: 1000 }
  const execution = valueOrThrow(ENGINE.begin(shader, bindings, { kind: 'batches' }, options)) as BatchExecution
  const { batch } = startOf(execution, seed, name)
  return {
    engine: ENGINE,
    loaded: shader,
    bindings,
    groups: [1, 1, 1],
    batch: { ...batch, streams: undefined },
    options,
  }
}

/** A batch of a stage with snapshots at `snapshots` statements, under the schedule of the seed. */
export function batchSnapshots(name: string, seed: number, snapshots: number): SnapshotVerdict {
  const shader = valueOrThrow(ENGINE.load(valueOrThrow(parseProgram(STAGES[name]!.text))))
  const buffer = valueOrThrow(createBuffer({ byteLength: 64 }))
  const memory = name === 'pixel' ? { u0: createUav(buffer, { raw: true }) } : {}
  const bindings = valueOrThrow(matchBindings(shader.declarations, memory))
  const options = {
    schedule: { ...scheduleOfCase(seed), order: 'forward' as const },
    undefinedPolicy: UNDEFINED_POLICIES[seed % 3]!,
    // Of some seeds invocations come to their limit.
    maxInstructionsPerThread: seed % 5 === 4 ? 30 : 1000,
  }
  const begin = (observer: object): Started => {
    const begun = ENGINE.begin(shader, bindings, { kind: 'batches' }, { ...options, ...observer })
    return startOf(valueOrThrow(begun) as BatchExecution, seed, name)
  }
  return checkSnapshots({ begin, bindings, snapshots, seed })
}
