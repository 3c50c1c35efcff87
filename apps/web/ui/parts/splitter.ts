/** The line between listing and view: dragged, or moved by arrow keys. */
import { html, type TemplateResult } from 'lit'
import { keepSetting, keptSetting } from '../state/settings.ts'

const KEY = 'heddle-split'
const [LEAST, MOST, STEP] = [20, 80, 4]
let percent = readStored()

function readStored(): number {
  const stored = Number(keptSetting(KEY))
  return stored >= LEAST && stored <= MOST ? stored : 50
}

function setPercent(value: number): void {
  percent = Math.min(MOST, Math.max(LEAST, Math.round(value)))
  keepSetting(KEY, `${percent}`)
  applySplit()
}

export function applySplit(): void {
  document.documentElement.style.setProperty('--split', `${percent}%`)
  document.querySelector('.splitter')?.setAttribute('aria-valuenow', `${percent}`)
}

function onDrag(e: PointerEvent): void {
  const bar = e.currentTarget as HTMLElement
  const panes = bar.parentElement!.getBoundingClientRect()
  bar.setPointerCapture(e.pointerId)
  const follow = (m: PointerEvent): void => setPercent(((m.clientX - panes.left) / panes.width) * 100)
  const end = (): void => {
    bar.removeEventListener('pointermove', follow)
    bar.removeEventListener('pointerup', end)
  }
  bar.addEventListener('pointermove', follow)
  bar.addEventListener('pointerup', end)
}

function onKey(e: KeyboardEvent): void {
  const to: Readonly<Record<string, number>> = {
    ArrowLeft: percent - STEP,
    ArrowRight: percent + STEP,
    Home: LEAST,
    End: MOST,
  }
  if (to[e.key] === undefined) return
  e.preventDefault()
  setPercent(to[e.key]!)
}

export function splitter(): TemplateResult {
  return html`<div class="splitter" role="separator" tabindex="0" aria-label="width of the listing" aria-orientation="vertical"
    aria-valuemin=${LEAST} aria-valuemax=${MOST} aria-valuenow=${percent} @pointerdown=${onDrag} @keydown=${onKey}></div>`
}
