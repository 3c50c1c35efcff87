/** `<heddle-page>`: the frame around the views. */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { splitter } from './parts/splitter.ts'
import { tabKeys } from './parts/tabs.ts'
import { View } from './parts/view.ts'
import { openFiles } from './state/files.ts'
import { share } from './state/save.ts'
import { store, VIEWS, type ViewName } from './state/store.ts'
import { nextTheme, themeName } from './state/theme.ts'
import { ensureJob } from './state/work.ts'
import { checkView } from './views/check.ts'
import { dialogs, openExampleMenu } from './views/dialogs.ts'
import { inspectView } from './views/inspect.ts'
import { listingPanel } from './views/listing.ts'
import { runView } from './views/run.ts'
import { stepView } from './views/step.ts'

const TITLES: Readonly<Record<ViewName, string>> = {
  listing: 'Listing',
  inspect: 'Inspect',
  run: 'Run',
  check: 'Check',
  step: 'Step',
}

/** Shows a view; what it needs of the shader is made then. */
export function showView(view: ViewName): void {
  store.show(view)
  if (view === 'run' || view === 'check' || view === 'step') void ensureJob().catch(() => undefined)
}

function viewBody(): TemplateResult {
  switch (store.view) {
    case 'run':
      return runView()
    case 'check':
      return checkView()
    case 'step':
      return stepView()
    default:
      return inspectView()
  }
}

const openDialog = (name: 'help' | 'open'): void => {
  store.dialog = name
  store.changed()
}

function pick(e: Event): void {
  const input = e.target as HTMLInputElement
  void openFiles([...(input.files ?? [])])
  input.value = ''
}

function header(): TemplateResult {
  return html`<header>
    <h1>Heddle</h1>
    <nav class="bar" aria-label="open and share">
      <button type="button" @click=${() => void openExampleMenu()}>Examples</button>
      <label class="button">Open<input class="visually-hidden" type="file" multiple @change=${pick}></label>
      <button type="button" @click=${() => openDialog('open')}>Paste</button>
      <button type="button" @click=${() => void share()}>Share</button>
    </nav>
    <div class="bar end">
      <button type="button" @click=${nextTheme} aria-label="colors: ${themeName()}">${themeName()}</button>
      <button type="button" @click=${() => openDialog('help')} aria-label="help and keys">?</button>
    </div></header>`
}

function viewTab(view: ViewName): TemplateResult {
  const isActive = store.view === view
  return html`<button type="button" role="tab" id="tab-${view}" class=${view === 'listing' ? 'only-narrow' : ''} aria-selected=${isActive}
    tabindex=${isActive ? 0 : -1} aria-controls=${view === 'listing' ? 'pane-listing' : 'pane-view'} @click=${() => showView(view)}>${TITLES[view]}</button>`
}

/** The whole page. */
export class Page extends View {
  #isOver = false

  override connectedCallback(): void {
    super.connectedCallback()
    window.addEventListener('dragover', this.#onDrag)
    window.addEventListener('dragleave', this.#onLeave)
    window.addEventListener('drop', this.#onDrop)
  }

  readonly #onDrag = (e: DragEvent): void => {
    e.preventDefault()
    this.#setOver(true)
  }

  readonly #onLeave = (e: DragEvent): void => {
    if (e.relatedTarget === null) this.#setOver(false)
  }

  readonly #onDrop = (e: DragEvent): void => {
    e.preventDefault()
    this.#setOver(false)
    void openFiles([...(e.dataTransfer?.files ?? [])])
  }

  #setOver(isOver: boolean): void {
    if (isOver === this.#isOver) return
    this.#isOver = isOver
    this.requestUpdate()
  }

  /** A button that goes when it has been pressed (Start, Stop, Suppress, an example) leaves the focus to the view. */
  protected override update(changed: PropertyValues): void {
    const hadFocus = document.activeElement?.closest('#pane-view, dialog') !== null
    super.update(changed)
    const isLost = hadFocus && document.activeElement === document.body
    if (isLost) document.getElementById('pane-view')?.focus({ preventScroll: true })
  }

  override render(): TemplateResult {
    const panel = store.view === 'listing' ? 'inspect' : store.view
    return html`<a class="skip" href="#pane-view" @click=${(e: Event) => {
      e.preventDefault()
      document.getElementById('pane-view')?.focus()
    }}>To the tables</a>
      ${header()}
      <nav aria-label="views"><div class="tabs" role="tablist" aria-label="views" @keydown=${tabKeys}>${VIEWS.map(viewTab)}</div></nav>
      <main class="panes" data-view=${store.view}>
        <section class="pane listing-pane" id="pane-listing" aria-label="listing">
          ${store.project?.about === undefined ? nothing : html`<p class="about">${store.project.about}</p>`}${listingPanel()}</section>
        ${splitter()}
        <section class="pane view-pane" id="pane-view" role="tabpanel" tabindex="0" aria-labelledby="tab-${panel}">${viewBody()}</section>
      </main>
      <footer><p class="message" role="status" aria-live="polite">${store.message}</p><p class="message error" role="alert">${store.error}</p></footer>
      ${dialogs()}
      ${this.#isOver ? html`<div class="drop" aria-hidden="true">Drop shaders, listings, run descriptions, images</div>` : nothing}`
  }
}
