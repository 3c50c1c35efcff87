import { batchCapacity } from '../../../batch.ts'
import type { LoadedShader } from '../../../contract.ts'
import type { WasmMemory } from '../memory.ts'
import type { BoundPipeline } from '../pipeline.ts'
import type { ReusableRange } from '../reusable-range.ts'
import type { SharedEntryData, SharedShaderData } from './joined-execution.ts'

/** What other threads are given of a shader that the calling one has made ready. */

interface OwnEntry extends Pick<SharedEntryData, 'layout' | 'inputWords' | 'outputWords' | 'zerosOutputs'> {
  readonly pipeline: BoundPipeline['pipeline']
  readonly descriptor: Uint32Array
}

/** Copies the code of the entries to where threads find it; undefined where there is no room. */
function sharedEntries(
  entries: readonly OwnEntry[],
  memory: WasmMemory,
  code: ReusableRange,
): readonly SharedEntryData[] | undefined {
  const lengthOf = ({ pipeline }: OwnEntry): number => Math.ceil(pipeline.kernel.bytes.length / 64) * 64
  let at = code.take(entries.reduce((sum, e) => sum + lengthOf(e), 0))
  if (at === undefined) return undefined
  const made: SharedEntryData[] = []
  for (const entry of entries) {
    const { pipeline, descriptor, layout, inputWords, outputWords, zerosOutputs } = entry
    const { bytes, scratchByteLength, reportOffset, sites } = pipeline.kernel
    new Uint8Array(memory.memory.buffer, at, bytes.length).set(bytes)
    made.push({
      number: pipeline.number,
      code: at,
      codeLength: bytes.length,
      descriptor: descriptor.byteOffset,
      descriptorLength: descriptor.byteLength,
      scratchLength: scratchByteLength,
      reportOffset,
      siteCount: sites.length,
      layout,
      inputWords,
      outputWords,
      zerosOutputs,
    })
    at += lengthOf(entry)
  }
  return made
}

/** Describes a shader to other threads; undefined where there is no room for its code. */
export function sharedShader(
  { declarations }: LoadedShader,
  own: readonly OwnEntry[],
  memory: WasmMemory,
  code: ReusableRange,
  seen: Pick<SharedShaderData, 'hasOutputsAlone' | 'operations' | 'emitted'>,
): SharedShaderData | undefined {
  const { stage } = declarations
  const entries = sharedEntries(own, memory, code)
  if (entries === undefined) return undefined
  return { entries, capacity: batchCapacity(declarations), isPixels: stage.kind === 'pixel', ...seen }
}
