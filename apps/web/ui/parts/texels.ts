/** `<heddle-texels>`: a texture as a picture, with zoom, components, range, and the texel under the cursor. */
import { html, LitElement, nothing, type TemplateResult } from 'lit'
import { pictureOf, rangeOf, texelText } from '../../model/picture.ts'
import type { TexelImage } from '../../model/run.ts'

const ZOOMS = [0.5, 1, 2, 4, 8, 16, 32]

export class TexelsElement extends LitElement {
  static override properties = {
    image: { attribute: false },
    label: { type: String },
    showHistory: { attribute: false },
  }
  declare image: TexelImage | undefined
  declare label: string
  /** Shows the history of a texel, where there is one. */
  declare showHistory: ((x: number, y: number) => void) | undefined
  #zoom = 1
  #channel = 'rgba'
  #range: readonly [number, number] | undefined
  #at: readonly [number, number] = [0, 0]
  #isPinned = false

  constructor() {
    super()
    this.image = undefined
    this.label = ''
    this.showHistory = undefined
  }

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  override willUpdate(changed: Map<string, unknown>): void {
    if (!changed.has('image') || this.image === undefined) return
    this.#range = undefined
    this.#at = [0, 0]
    const most = Math.max(this.image.width, this.image.height)
    this.#zoom = most <= 16 ? 16 : most <= 64 ? 4 : most <= 160 ? 2 : 1
  }

  override updated(): void {
    const { image } = this
    const canvas = this.querySelector('canvas')
    if (image === undefined || canvas === null) return
    const [least, most] = this.#range ?? rangeOf(image, this.#channel)
    canvas.width = image.width
    canvas.height = image.height
    const pixels = pictureOf(image, { channel: this.#channel, least, most })
    canvas.getContext('2d')?.putImageData(new ImageData(pixels, image.width, image.height), 0, 0)
    canvas.style.setProperty('width', `${image.width * this.#zoom}px`)
    canvas.style.setProperty('height', `${image.height * this.#zoom}px`)
  }

  #look(x: number, y: number): void {
    const { width, height } = this.image!
    this.#at = [Math.min(width - 1, Math.max(0, x)), Math.min(height - 1, Math.max(0, y))]
    this.requestUpdate()
  }

  #onMove(e: PointerEvent): void {
    const box = (e.currentTarget as HTMLElement).getBoundingClientRect()
    this.#look(Math.floor((e.clientX - box.left) / this.#zoom), Math.floor((e.clientY - box.top) / this.#zoom))
  }

  /** A click keeps a texel, another one lets go of it. */
  #pin(e: PointerEvent): void {
    this.#isPinned = !this.#isPinned
    this.#onMove(e)
  }

  #onKey(e: KeyboardEvent): void {
    const [x, y] = this.#at
    const step = e.shiftKey ? 8 : 1
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [-step, 0],
      ArrowRight: [step, 0],
      ArrowUp: [0, -step],
      ArrowDown: [0, step],
    }
    const move = moves[e.key]
    if (move === undefined) return
    e.preventDefault()
    this.#look(x + move[0], y + move[1])
  }

  #setRange(at: 0 | 1, e: Event): void {
    const value = Number((e.target as HTMLInputElement).value)
    const range = [...(this.#range ?? rangeOf(this.image!, this.#channel))] as [number, number]
    range[at] = value
    if (Number.isFinite(value) && range[0] !== range[1]) this.#range = range
    this.requestUpdate()
  }

  #zoomBy(by: number): void {
    const at = ZOOMS.indexOf(this.#zoom) + by
    this.#zoom = ZOOMS[at] ?? this.#zoom
    this.requestUpdate()
  }

  override render(): TemplateResult {
    const { image } = this
    if (image === undefined) return html``
    const [least, most] = this.#range ?? rangeOf(image, this.#channel)
    const channels = image.components.length === 1 ? [image.components] : ['rgba', ...image.components]
    return html`<div class="bar">
        <button type="button" @click=${() => this.#zoomBy(-1)} aria-label="zoom out">−</button>
        <output class="zoom">${this.#zoom * 100}%</output>
        <button type="button" @click=${() => this.#zoomBy(1)} aria-label="zoom in">+</button>
        <label>channel <select @change=${(e: Event) => {
          this.#channel = (e.target as HTMLSelectElement).value
          this.requestUpdate()
        }}>${channels.map((c) => html`<option value=${c} ?selected=${c === this.#channel}>${c === 'rgba' ? 'all' : c}</option>`)}</select></label>
        <label>from <input type="number" step="any" class="short" .value=${`${least}`} @change=${(e: Event) => this.#setRange(0, e)}></label>
        <label>to <input type="number" step="any" class="short" .value=${`${most}`} @change=${(e: Event) => this.#setRange(1, e)}></label>
      </div>
      <div class="picture" tabindex="0" role="group" aria-label="${this.label}; arrow keys choose a texel" @keydown=${(e: KeyboardEvent) => this.#onKey(e)}>
        <canvas role="img" aria-label="${this.label}, ${image.width} by ${image.height} texels" @pointermove=${(e: PointerEvent) => this.#isPinned || this.#onMove(e)}
          @pointerdown=${(e: PointerEvent) => this.#pin(e)}></canvas>
      </div>
      <output class="texel">${texelText(image, ...(this.#at as [number, number]))}${this.#isPinned ? ' (kept; click again to let go)' : ''}</output>${
        this.showHistory === undefined
          ? nothing
          : html`<button type="button" @click=${() => this.showHistory?.(...(this.#at as [number, number]))}>History of this pixel</button>`
      }`
  }
}
