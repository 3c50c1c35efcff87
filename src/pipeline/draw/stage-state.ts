import { type IoDeclaration, SYSTEM_VALUE_NUMBER } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import type { DrawCall } from '../input/index.ts'
import type { PipelineShader } from '../shader.ts'
import type { StageState, SystemInput } from '../stages/index.ts'
import { instancesOf } from './check-call.ts'
import type { Pipeline } from './description.ts'
import type { DrawResources } from './resources.ts'

/** What the stages of a draw before the rasterizer depend on, of its pipeline and its resources. */
export function stageStateOf(p: Pipeline, r: DrawResources, call: DrawCall): StageState {
  return {
    inputLayout: p.inputLayout,
    vertexBuffers: r.vertexBuffers,
    startInstance: call.startInstance ?? 0,
    systemInputs: systemInputs(p.vertex),
    shadesAll: writesMemory(p.vertex),
    hasEffects: [p.hull, p.domain, p.geometry, p.pixel].some(writesMemory),
    hull: p.hull?.loaded.declarations,
    geometry: p.geometry?.loaded.declarations,
    rasterizedStream: p.rasterizedStream,
    hasInstances: instancesOf(call) > 1,
  }
}

const writesMemory = (shader: PipelineShader | undefined): boolean =>
  shader !== undefined && shader.loaded.declarations.uavs.length > 0

const SYSTEM_INPUTS = new WeakMap<PipelineShader, readonly SystemInput[]>()

/** Inputs of a vertex shader that the draw counts. */
function systemInputs(shader: PipelineShader): readonly SystemInput[] {
  const known = SYSTEM_INPUTS.get(shader)
  if (known !== undefined) return known
  const counted: readonly number[] = [SYSTEM_VALUE_NUMBER.vertexId, SYSTEM_VALUE_NUMBER.instanceId]
  const made = shader.loaded.declarations.entries[0]!.inputs.flatMap(({ file, mask, register, systemValue }) =>
    file === FILE.input && counted.includes(systemValue)
      ? [{ register, component: 31 - Math.clz32(mask & -mask), systemValue }]
      : [],
  )
  SYSTEM_INPUTS.set(shader, made)
  return made
}

/** Registers that a stage writes, from 0. */
export const registersOf = (outputs: readonly IoDeclaration[]): number =>
  outputs.reduce((most, o) => (o.file === FILE.output ? Math.max(most, o.register + 1) : most), 0)
