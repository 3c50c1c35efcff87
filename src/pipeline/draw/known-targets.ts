import type { Diagnostic } from '../../diagnostic/index.ts'
import type { TargetView } from '../../machine/index.ts'
import { type ColorMerge, createColorMerge } from '../merge/index.ts'
import { checkTargets } from './check-draw.ts'
import { checkOutputs, mismatchedOutputs } from './check-outputs.ts'
import type { Pipeline } from './description.ts'
import { type TargetPixels, targetPixels } from './pixel-setup-of.ts'
import type { DrawResources } from './resources.ts'
import { type TargetShape, targetShape } from './target-shape.ts'

/**
 * What follows from a pipeline and the targets of a draw alone: found once, and again where others are bound. Views do not
 * change, and most draws go to the targets of the draw before.
 */

export interface KnownTargets {
  readonly shape: TargetShape
  /** What is wrong with the targets, or with the state of the output merger for them. */
  readonly targetFindings: readonly Diagnostic[]
  /** What is wrong with the outputs of the pixel shader for them. */
  readonly outputFindings: readonly Diagnostic[]
  /** Targets whose contents are undefined, since the types of outputs are others. */
  readonly undefinedTargets: readonly number[]
  readonly pixels: TargetPixels
  colors(blendFactor: DrawResources['blendFactor'], poisons: boolean): ColorMerge
}

interface KnownMerge {
  readonly blendFactor: readonly number[]
  readonly poisons: boolean
  readonly merge: ColorMerge
}

interface Entry {
  readonly renderTargets: DrawResources['renderTargets']
  readonly depthStencil: DrawResources['depthStencil']
  readonly known: KnownTargets
}

/** By the first view that is bound, so that no entry keeps a resource that nothing else refers to. */
const KNOWN = new WeakMap<Pipeline, WeakMap<TargetView, Entry>>()

function isFor(e: Entry, r: DrawResources): boolean {
  if (e.depthStencil !== r.depthStencil || e.renderTargets.length !== r.renderTargets.length) return false
  return e.renderTargets.every((view, i) => view === r.renderTargets[i])
}

export function knownTargets(p: Pipeline, r: DrawResources): KnownTargets {
  const first = r.renderTargets.find((v) => v !== undefined) ?? r.depthStencil
  if (first === undefined) return findTargets(p, r)
  let ofPipeline = KNOWN.get(p)
  if (ofPipeline === undefined) {
    ofPipeline = new WeakMap()
    KNOWN.set(p, ofPipeline)
  }
  const entry = ofPipeline.get(first)
  if (entry !== undefined && isFor(entry, r)) return entry.known
  const { renderTargets, depthStencil } = r
  const known = findTargets(p, r)
  ofPipeline.set(first, { renderTargets: [...renderTargets], depthStencil, known })
  return known
}

function findTargets(p: Pipeline, r: DrawResources): KnownTargets {
  const renderTargets = [...r.renderTargets]
  const undefinedTargets = mismatchedOutputs(p, renderTargets).map((m) => m.target)
  const shape = targetShape(r)
  let made: KnownMerge | undefined
  return {
    shape,
    pixels: targetPixels(p, renderTargets, shape),
    targetFindings: checkTargets(p, r),
    outputFindings: checkOutputs(p, r),
    undefinedTargets,
    colors(blendFactor, poisons) {
      if (made?.poisons !== poisons || !made.blendFactor.every((f, i) => Object.is(f, blendFactor[i]))) {
        const poisoned = poisons ? undefinedTargets : []
        const merge = createColorMerge(renderTargets, p.blend, blendFactor, { poisoned, precision: p.precision })
        made = { blendFactor: [...blendFactor], poisons, merge }
      }
      return made.merge
    },
  }
}
