/** The history of a pixel as texts: what each primitive left, what the tests said, and what became of the targets. */
import type { PixelFragment, PixelHistory } from '../debug/index.ts'
import { texelText } from '../job/index.ts'
import { floatText, guessText } from './format.ts'
import type { DebuggedDraw } from './run.ts'

type Contents = PixelHistory['before']

/** Which test of a draw a fragment did not pass. */
function testsText({ source }: DebuggedDraw, { failed }: PixelFragment): string {
  const { depthEnable, depthFunc, stencilEnable } = source.pipeline.depthStencil
  const depth = depthEnable && failed !== 'stencil' ? [`depth test (${depthFunc})`] : []
  const stencil = stencilEnable && failed !== 'depth' ? ['stencil test'] : []
  return `failed the ${[...depth, ...stencil].join(' or the ')}`
}

const isSame = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && a.length === b.length && a.every((byte, i) => byte === b[i]))

/** What became of a fragment, in words. */
export function outcomeText(draw: DebuggedDraw, f: PixelFragment): string {
  if (f.isDiscarded) return 'discarded by the shader'
  if (f.passed === false) return `${testsText(draw, f)}${f.isShaded ? '' : ' before the shader ran'}`
  if (f.effect === undefined) return 'not worked out'
  const { before, after } = f.effect
  const isUnchanged = after.colors.every((color, i) => isSame(color, before.colors[i]))
  return isUnchanged ? 'passed, colors stay as they were' : 'passed'
}

/** `o0 (1, 0, 0, 1)`, for each output. */
export function outputsText({ source }: DebuggedDraw, f: PixelFragment): string {
  const texts = f.outputs.map((words, i) => {
    const format = source.resources.renderTargets[i]?.format.name
    const isFloat = format !== undefined && !/[US]INT$/.test(format)
    return `o${i} (${words.map(isFloat ? floatText : guessText).join(', ')})`
  })
  return `${f.isShaded || texts.length === 0 ? '' : 'would leave '}${texts.join(', ')}`
}

/** The pixel of each target, by the names of slots: `rt0`, `depth`. */
export function contentsTexts({ source }: DebuggedDraw, contents: Contents): readonly (readonly [string, string])[] {
  const { renderTargets, depthStencil } = source.resources
  const found: (readonly [string, string])[] = []
  renderTargets.forEach((view, i) => {
    const bytes = contents.colors[i]
    if (view !== undefined && bytes !== undefined) found.push([`rt${i}`, texelText(view.format, bytes)])
  })
  if (depthStencil !== undefined && contents.depthStencil !== undefined)
    found.push(['depth', texelText(depthStencil.format, contents.depthStencil)])
  return found
}

/** What a fragment changed: `rt0 (0, 0, 0, 0) -> (1, 0, 0, 1)`. */
export function effectText(draw: DebuggedDraw, f: PixelFragment): string {
  if (f.effect === undefined) return ''
  const after = new Map(contentsTexts(draw, f.effect.after))
  return contentsTexts(draw, f.effect.before)
    .filter(([name, text]) => after.get(name) !== text)
    .map(([name, text]) => `${name} ${text} -> ${after.get(name)}`)
    .join(', ')
}

/** How the output merger blends, target by target. */
export function blendTexts({ source }: DebuggedDraw): readonly string[] {
  const { blend } = source.pipeline
  return source.resources.renderTargets.flatMap((view, i) => {
    const b = blend.renderTarget[blend.independentBlendEnable ? i : 0]
    if (view === undefined || b === undefined) return []
    const mask = b.renderTargetWriteMask === 15 ? '' : `, write mask ${b.renderTargetWriteMask}`
    if (!b.blendEnable) return mask === '' ? [] : [`rt${i}: no blending${mask}`]
    const color = `${b.srcBlend} ${b.blendOp} ${b.destBlend}`
    const alpha = `${b.srcBlendAlpha} ${b.blendOpAlpha} ${b.destBlendAlpha}`
    return [`rt${i}: color source x ${color} x target, alpha ${alpha}${mask}`]
  })
}
