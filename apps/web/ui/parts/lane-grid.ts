/** `<heddle-lane-grid>`: the threads of a group. Equal cells have one letter, one color and one pattern. */
import { html, LitElement, nothing, type TemplateResult } from 'lit'
import type { DebugGrid } from '../../model/debug.ts'
import { cellAfterKey, type GridKey, type ShownGrid, shownGrid } from '../../model/grid.ts'

export class LaneGridElement extends LitElement {
  static override properties = { grid: { attribute: false }, focused: { type: Number }, choose: { attribute: false } }
  declare grid: DebugGrid | undefined
  /** The thread that is looked at. */
  declare focused: number
  declare choose: (thread: number) => void
  /** The cell that Tab leads to. */
  #current = 0

  constructor() {
    super()
    this.grid = undefined
    this.focused = 0
    this.choose = () => {}
  }

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has('focused')) this.#current = this.focused
  }

  #onKey(e: KeyboardEvent, shown: ShownGrid): void {
    const count = shown.keyOf.length
    if (e.key === 'Enter' || e.key === ' ') {
      e.preventDefault()
      this.choose(this.#current)
      return
    }
    const to = cellAfterKey(e.key, this.#current, shown.columns, count)
    if (to === this.#current) return
    e.preventDefault()
    this.#current = to
    this.requestUpdate()
    void this.updateComplete.then(() => this.querySelector<HTMLElement>('[tabindex="0"]')?.focus())
  }

  #cell(thread: number, shown: ShownGrid): TemplateResult {
    const key = shown.keys[shown.keyOf[thread]!]!
    const color = key.color === undefined ? 'ended' : `k${key.color}`
    const isFocus = thread === this.focused
    const cell = this.grid!.cells[thread]!
    const text = `thread ${thread}: ${key.text}${cell.isHelper ? ', a helper lane' : ''}`
    return html`<div role="gridcell" class="cell ${color} ${cell.isHelper ? 'helper' : ''}" tabindex=${thread === this.#current ? 0 : -1} aria-selected=${isFocus}
      aria-label=${text} title=${text} @click=${() => this.choose(thread)}
      @focus=${() => {
        this.#current = thread
      }}>${cell.isHelper ? key.letter.toLowerCase() : key.letter}</div>`
  }

  #legend(key: GridKey): TemplateResult {
    const color = key.color === undefined ? 'ended' : `k${key.color}`
    return html`<li><span class="cell ${color}" aria-hidden="true">${key.letter}</span> ${key.text} <span class="dim">${key.count} ${key.count === 1 ? 'thread' : 'threads'}</span></li>`
  }

  override render(): TemplateResult | typeof nothing {
    const { grid } = this
    if (grid === undefined) return html`<p class="dim">The group of this thread does not run at this moment.</p>`
    const shown = shownGrid(grid)
    const { columns, keyOf, keys } = shown
    const rowCount = Math.ceil(keyOf.length / columns)
    const rows = Array.from({ length: rowCount }, (_, r) => r)
    const columnNumbers = Array.from({ length: columns }, (_, c) => c)
    const threadsIn = (r: number): readonly number[] =>
      columnNumbers.map((c) => r * columns + c).filter((t) => t < keyOf.length)
    return html`<div class="lanes" role="grid" aria-label="threads of group ${grid.group.join(', ')}" aria-rowcount=${rowCount + 1} aria-colcount=${columns + 1}
        @keydown=${(e: KeyboardEvent) => this.#onKey(e, shown)}>
        <div role="row" class="lane-row heads"><span role="columnheader" class="corner"><span class="visually-hidden">first thread of the row</span></span>${columnNumbers.map(
          (c) => html`<span role="columnheader">${c}</span>`,
        )}</div>
        ${rows.map(
          (r) =>
            html`<div role="row" class="lane-row"><span role="rowheader">${r * columns}</span>${threadsIn(r).map((t) => this.#cell(t, shown))}</div>`,
        )}
      </div>
      <ul class="legend" aria-label="what the letters mean">${keys.slice(0, 40).map((k) => this.#legend(k))}</ul>
      ${keys.length > 40 ? html`<p class="dim">and ${keys.length - 40} more</p>` : nothing}`
  }
}
