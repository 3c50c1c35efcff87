/** What all elements of the page have in common: one style sheet, and one store that they follow. */
import { LitElement } from 'lit'
import { store } from '../state/store.ts'

/** An element in the document's own tree, drawn anew when the store has changed. */
export abstract class View extends LitElement {
  readonly #follow = (): void => this.requestUpdate()

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  override connectedCallback(): void {
    super.connectedCallback()
    store.addEventListener('change', this.#follow)
  }

  override disconnectedCallback(): void {
    store.removeEventListener('change', this.#follow)
    super.disconnectedCallback()
  }
}
