/** Long lists of which only the rows in sight are in the document. All rows have one height. */
import { html, LitElement, type TemplateResult } from 'lit'

const MORE = 12

/** `<heddle-rows>`: a scrolled list; `row` draws the row with a number. */
export class Rows extends LitElement {
  static override properties = {
    count: { type: Number },
    rowHeight: { type: Number },
    row: { attribute: false },
    label: { type: String },
    shown: { type: Number },
  }
  declare count: number
  declare rowHeight: number
  declare label: string
  declare row: (index: number) => TemplateResult
  /** A row that is to be in sight; scrolled to when it changes. */
  declare shown: number | undefined
  #first = 0
  #visible = 60
  #wasShown: number | undefined

  constructor() {
    super()
    this.count = 0
    this.rowHeight = 20
    this.label = ''
    this.row = () => html``
    this.shown = undefined
  }

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.addEventListener('scroll', this.#measure, { passive: true })
    this.tabIndex = 0
  }

  override firstUpdated(): void {
    this.#measure()
  }

  override updated(): void {
    // What has no width of its own must be set by properties: the page's policy takes no style attributes.
    const [before, after] = this.querySelectorAll<HTMLElement>(':scope > .space')
    before?.style.setProperty('height', `${this.#first * this.rowHeight}px`)
    after?.style.setProperty('height', `${Math.max(0, this.count - this.#end) * this.rowHeight}px`)
    if (this.shown !== undefined && this.shown !== this.#wasShown) {
      const top = this.shown * this.rowHeight
      if (top < this.scrollTop || top + this.rowHeight > this.scrollTop + this.clientHeight)
        this.scrollTop = Math.max(0, top - this.clientHeight / 2)
    }
    this.#wasShown = this.shown
  }

  get #end(): number {
    return Math.min(this.count, this.#first + this.#visible + 2 * MORE)
  }

  readonly #measure = (): void => {
    const first = Math.max(0, Math.floor(this.scrollTop / this.rowHeight) - MORE)
    const visible = Math.ceil((this.clientHeight || 600) / this.rowHeight)
    if (first === this.#first && visible === this.#visible) return
    this.#first = first
    this.#visible = visible
    this.requestUpdate()
  }

  override render(): TemplateResult {
    const numbers = Array.from({ length: Math.max(0, this.#end - this.#first) }, (_, k) => this.#first + k)
    return html`<div class="space" role="presentation"></div>${numbers.map((i) => this.row(i))}<div class="space" role="presentation"></div>`
  }
}
