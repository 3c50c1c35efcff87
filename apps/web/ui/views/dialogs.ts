/** Dialogs: examples, help with keys, a link to share, and text to paste. */
import { html, nothing, type TemplateResult } from 'lit'
import { ref } from 'lit/directives/ref.js'
import { type Example, examples, openExample } from '../state/examples.ts'
import { openPasted } from '../state/files.ts'
import { areLettersOn, setLetters } from '../state/letters.ts'
import { isLongLink, saveContainer, saveJob, saveListing } from '../state/save.ts'
import { say, sayError, store } from '../state/store.ts'
import { MOVES } from './step.ts'

let menu: readonly Example[] | undefined

export async function openExampleMenu(): Promise<void> {
  menu = await examples()
  store.dialog = 'examples'
  store.changed()
}

function closeDialog(): void {
  store.dialog = undefined
  store.changed()
}

/** A modal dialog, opened as soon as it is in the document. */
function dialog(title: string, body: TemplateResult): TemplateResult {
  const open = (e: Element | undefined): void => {
    if (e instanceof HTMLDialogElement && !e.open) queueMicrotask(() => e.isConnected && !e.open && e.showModal())
  }
  return html`<dialog aria-labelledby="dialog-title" ${ref(open)} @close=${closeDialog}>
    <div class="bar"><h2 id="dialog-title">${title}</h2><button type="button" class="close end" aria-label="close" @click=${closeDialog}>×</button></div>${body}</dialog>`
}

function examplesBody(): TemplateResult {
  const take = (example: Example): void => {
    closeDialog()
    void openExample(example)
  }
  return html`<ul class="examples">${menu?.map(
    (e) =>
      html`<li><button type="button" class="link" @click=${() => take(e)}>${e.name}</button><p>${e.about}</p></li>`,
  )}</ul>`
}

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl+Enter', 'run'],
  ['Ctrl+Shift+Enter', 'check'],
  ...Object.values(MOVES).map((m) => [m.keys, `step: ${m.text.replace(/[◀▶]/g, '').trim()}`] as const),
  ['Ctrl+.', 'fix the finding at the cursor of the listing'],
  ['F9', 'breakpoint at the line of the cursor, while stepping'],
  ['arrows, Enter', 'in the grid of threads: move, and look at a thread'],
  ['arrows', 'in a picture: choose a texel; with Shift by eight'],
  ['Escape, then Tab', 'leave the listing'],
  ['?', 'this help'],
]

function helpBody(): TemplateResult {
  return html`<p>Reads shaders of Direct3D 10 and 11 (DXBC), shows and edits their assembly, runs, checks and steps through them. Nothing that
      you open leaves this browser.</p>
    <p>Drop files anywhere: compiled shaders, listings, run descriptions (.job.json), PNG images and bytes for resources.</p>
    <table aria-label="Keys"><thead><tr><th scope="col">Key</th><th scope="col">What</th></tr></thead>
      <tbody>${KEYS.map(([keys, what]) => html`<tr><th scope="row"><kbd>${keys}</kbd></th><td>${what}</td></tr>`)}</tbody></table>
    <label><input type="checkbox" .checked=${areLettersOn()} @change=${(e: Event) => setLetters((e.target as HTMLInputElement).checked)}> single letters step, where the view Step has the focus</label>`
}

function shareBody(): TemplateResult {
  const link = store.share?.link ?? ''
  const file = store.active
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(link)
      say('the link was copied')
    } catch {
      sayError('the browser does not let the page copy; copy the link by hand')
    }
  }
  return html`<label class="stack">Link, ${link.length} characters; what is open is in it, and it is sent to nobody
      <textarea rows="4" readonly .value=${link}></textarea></label>
    ${isLongLink(link) ? html`<p class="warning">Many programs cut links of this length; a file is the better way.</p>` : nothing}
    <div class="bar"><button type="button" class="primary" @click=${() => void copy()}>Copy link</button></div>
    ${
      file === undefined
        ? nothing
        : html`<h3>Files</h3><div class="bar">
        <button type="button" ?disabled=${file.bytes === undefined} @click=${() => void saveContainer(file)}>Save .dxbc</button>
        <button type="button" @click=${() => saveListing(file)}>Save .dxasm</button>
        <button type="button" ?disabled=${file.project.job === undefined} @click=${() => saveJob(file)}>Save .job.json</button></div>`
    }`
}

function pasteBody(): TemplateResult {
  const take = async (e: Event): Promise<void> => {
    e.preventDefault()
    const field = (e.target as HTMLFormElement).elements.namedItem('text') as HTMLTextAreaElement
    if (await openPasted(field.value)) closeDialog()
    else sayError('this is no listing, no run description, no link, and no hexadecimal or base64 text of a shader')
  }
  return html`<form @submit=${(e: Event) => void take(e)}><label class="stack">A listing, hexadecimal digits, base64, a run description, or a link
      <textarea name="text" rows="12" spellcheck="false"></textarea></label><div class="bar"><button class="primary">Open</button></div>
      <p class="error" role="alert">${store.error}</p></form>`
}

export function dialogs(): TemplateResult | typeof nothing {
  switch (store.dialog) {
    case 'examples':
      return dialog('Examples', examplesBody())
    case 'help':
      return dialog('Help', helpBody())
    case 'share':
      return dialog('Share', shareBody())
    case 'open':
      return dialog('Paste', pasteBody())
    case undefined:
      return nothing
  }
}
