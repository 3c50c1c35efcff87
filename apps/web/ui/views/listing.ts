/** The listing: as a table at once, and in an editor as soon as that has been loaded. */
import { html, type TemplateResult } from 'lit'
import { ref } from 'lit/directives/ref.js'
import { tabKeys } from '../parts/tabs.ts'
import { closeFile, selectFile } from '../state/files.ts'
import { lineMarks } from '../state/lines.ts'
import { type LineMark, type OpenFile, store } from '../state/store.ts'

const MARK_WORDS: Readonly<Record<LineMark['kind'], string>> = {
  selected: 'chosen',
  finding: 'finding',
  other: 'other access',
  next: 'next',
}

/** A table that screen readers read line by line. */
function plainListing(file: OpenFile): TemplateResult {
  const lines = file.text.split('\n')
  const marks = new Map(lineMarks(file).map((m) => [m.line, m.kind]))
  const shown = [...marks.keys()].at(-1)
  const row = (i: number): TemplateResult => {
    const kind = marks.get(i + 1)
    return html`<div class="code-row ${kind ?? ''}" role="row" aria-rowindex=${i + 1}><span class="line-number" role="rowheader">${i + 1}</span><span class="mark" role="cell">${kind === undefined ? '' : MARK_WORDS[kind]}</span><code role="cell">${lines[i]}</code></div>`
  }
  return html`<heddle-rows class="plain" role="table" aria-label="listing of ${file.name}" aria-rowcount=${lines.length} .count=${lines.length}
    .rowHeight=${20} .row=${row} .shown=${shown === undefined ? undefined : shown - 1}></heddle-rows>`
}

let shownTab = ''

/** The tab of the file that is shown is seen, also where there are many; on a phone the listing may have been hidden before. */
function seeTab(e: Element | undefined): void {
  const id = store.active?.id ?? -1
  const key = `${id} ${store.view === 'listing'}`
  if (e === undefined || key === shownTab) return
  shownTab = key
  // Behind this rendering, when the tab and its pane are in the document.
  void Promise.resolve().then(() =>
    e.querySelector(`#file-${id}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
  )
}

function fileTab(file: OpenFile): TemplateResult {
  const isActive = file === store.active
  const isEdited = file.text !== file.original
  return html`<button type="button" role="tab" id="file-${file.id}" aria-selected=${isActive} tabindex=${isActive ? 0 : -1} aria-controls="listing-panel"
      @click=${() => selectFile(file.id)}>${file.name}${isEdited ? ' •' : ''}</button>`
}

/** Whether the text makes a container that Direct3D takes. */
function stateOf(file: OpenFile): { readonly kind: string; readonly text: string } {
  const errors = file.diagnostics.filter((d) => d.severity === 'error').length
  if (file.isReading) return { kind: 'reading', text: 'reading…' }
  if (file.bytes === undefined || errors > 0)
    return { kind: 'error', text: `${errors} ${errors === 1 ? 'error' : 'errors'}` }
  if (file.text === file.original && file.base !== undefined)
    return file.inspection?.isSigned === false
      ? { kind: 'warning', text: 'as opened, checksum wrong' }
      : { kind: 'signed', text: 'as opened, signed' }
  return { kind: 'signed', text: `assembled and signed, ${file.bytes.length} bytes` }
}

export function listingPanel(): TemplateResult {
  const file = store.active
  if (file === undefined) return html`<p class="dim">Nothing is open.</p>`
  const { kind, text } = stateOf(file)
  const isPlain = store.isPlain || !store.hasEditor
  return html`<div class="files"><div role="tablist" aria-label="open shaders" @keydown=${tabKeys} ${ref((e) => seeTab(e))}>${store.files.map(fileTab)}</div>
      <button type="button" class="close end" aria-label="close ${file.name}" title="close ${file.name}" @click=${() => closeFile(file.id)}>×</button></div>
    <div id="listing-panel" class="listing" role="tabpanel" aria-labelledby="file-${file.id}">
      ${isPlain ? plainListing(file) : html`<heddle-editor class="editor"></heddle-editor>`}
    </div>
    <div class="status"><span class="state ${kind}">${text}</span>
      <label><input type="checkbox" .checked=${store.isPlain} @change=${(e: Event) => {
        store.isPlain = (e.target as HTMLInputElement).checked
        store.changed()
      }}> plain table</label></div>`
}
