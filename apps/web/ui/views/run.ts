/** Resources, a run, and what it left. */
import { html, nothing, type TemplateResult } from 'lit'
import type { Diagnostic } from '../../../../src/diagnostic/index.ts'
import type { Table } from '../../../../src/job/index.ts'
import {
  editJob,
  type FormField,
  type FormResource,
  GENERATORS,
  jobForm,
  shownValue,
  typedValue,
} from '../../model/job-form.ts'
import type { PixelKind } from '../../model/run.ts'
import { openFiles } from '../state/files.ts'
import { saveOutput } from '../state/save.ts'
import { type Project, type ShownOutput, store } from '../state/store.ts'
import { pixelHistory, runNow, showOutput, stopAll, TABLE_ROWS, toggleOutput } from '../state/work.ts'

/** Work under way, with the button that stops it. */
export function workBar(work: {
  readonly what: string
  readonly done: number
  readonly total: number | undefined
}): TemplateResult {
  const { what, done, total } = work
  const share = total === undefined || total === 0 ? undefined : Math.min(1, done / total)
  return html`<div class="bar work" role="group" aria-label="work under way">
    ${share === undefined ? html`<progress aria-label=${what}></progress>` : html`<progress aria-label=${what} max="1" .value=${share}></progress>`}
    <span>${what}</span><button type="button" class="stop" @click=${stopAll}>Stop</button></div>`
}

export function diagnosticList(diagnostics: readonly Diagnostic[]): TemplateResult | typeof nothing {
  const shown = diagnostics.filter((d) => d.severity !== 'hint')
  if (shown.length === 0) return nothing
  const placeOf = ({ place }: Diagnostic): string => (place?.kind === 'path' ? `${place.path}: ` : '')
  return html`<ul class="findings">${shown
    .slice(0, 100)
    .map(
      (d) =>
        html`<li class=${d.severity}><b>${d.severity}</b> ${placeOf(d)}${d.message} <code>${d.code}</code>${d.notes.map((n) => html`<br><span class="dim">${n}</span>`)}</li>`,
    )}</ul>`
}

function edit(project: Project, change: Parameters<typeof editJob>[1]): void {
  project.job = editJob(project.job ?? '', change)
  store.changed()
}

const targetValue = (e: Event): string => (e.target as HTMLInputElement).value

function input(field: FormField, label: string, change: (value: unknown) => void): TemplateResult {
  const isNumber = typeof field.value === 'number'
  return html`<label class="field"><span>${field.name}</span><input class=${isNumber ? 'short' : ''} aria-label="${label} ${field.name}" .value=${shownValue(field.value)}
    @change=${(e: Event) => change(typedValue(targetValue(e)))}></label>`
}

/** A button that opens a file for the contents of a resource, and names it there. */
function fileButton(project: Project, r: FormResource): TemplateResult {
  const take = async (e: Event): Promise<void> => {
    const files = [...((e.target as HTMLInputElement).files ?? [])]
    await openFiles(files)
    const [file] = files
    if (file !== undefined) edit(project, { kind: 'argument', key: r.key, name: 'path', value: file.name })
  }
  return html`<label class="field">file <input type="file" aria-label="file for ${r.title}" @change=${(e: Event) => void take(e)}></label>`
}

function resourceCard(project: Project, r: FormResource): TemplateResult {
  const { key, title, contents } = r
  const kinds =
    contents === undefined || contents in GENERATORS ? Object.keys(GENERATORS) : [contents, ...Object.keys(GENERATORS)]
  return html`<fieldset class="card"><legend>${title} <span class="dim">${r.comment}</span></legend>
    <div class="fields">
      ${r.fields.map((f) => input(f, title, (value) => edit(project, { kind: 'field', key, name: f.name, value })))}
      ${
        contents === undefined
          ? nothing
          : html`<label class="field"><span>contents</span><select aria-label="${title} contents"
        @change=${(e: Event) => edit(project, { kind: 'contents', key, value: targetValue(e) })}>${kinds.map((k) => html`<option ?selected=${k === contents}>${k}</option>`)}</select></label>`
      }
      ${r.arguments.map((f) => input(f, title, (value) => edit(project, { kind: 'argument', key, name: f.name, value })))}
      ${(r.constants ?? []).map((f) => input(f, title, (value) => edit(project, { kind: 'constant', key, name: f.name, value })))}
      ${contents === 'png' || contents === 'file' ? fileButton(project, r) : nothing}
    </div></fieldset>`
}

/** Longer texts are not edited here: a browser lays out all of a text field at once. */
const MAX_EDITED_CHARACTERS = 200_000

function jobText(project: Project, text: string): TemplateResult {
  if (text.length > MAX_EDITED_CHARACTERS)
    return html`<p class="dim">It has ${text.length} characters, too many to be edited here.</p>`
  const setText = (e: Event): void => {
    project.job = targetValue(e)
    store.changed()
  }
  return html`<textarea class="json" rows="14" spellcheck="false" aria-label="run description" .value=${text} @change=${setText}></textarea>`
}

function jobPart(project: Project): TemplateResult {
  const text = project.job ?? ''
  const form = text.length > MAX_EDITED_CHARACTERS ? undefined : jobForm(text)
  const isOpen = form === undefined || (form.resources.length === 0 && form.dispatch === undefined)
  return html`${
    form?.dispatch === undefined
      ? nothing
      : html`<fieldset class="card"><legend>Dispatch</legend><div class="fields">${form.dispatch.map((n, axis) =>
          input({ name: 'xyz'[axis]!, value: n }, 'groups in', (value) =>
            edit(project, { kind: 'dispatch', axis, value }),
          ),
        )}</div></fieldset>`
  }
    ${form?.resources.map((r) => resourceCard(project, r))}
    <details ?open=${isOpen}><summary>Run description (JSON)</summary>
      ${jobText(project, text)}</details>`
}

export function tableView({ heads, types, rows }: Table, label: string): TemplateResult {
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${label}><table class="values" aria-label=${label}>
    <thead><tr>${heads.map((h, i) => html`<th scope="col">${h === '' ? html`<span class="visually-hidden">element</span>` : h}${types?.[i] ? html` <span class="dim">${types[i]}</span>` : nothing}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`
}

function pager(shown: ShownOutput): TemplateResult {
  const { first, output } = shown
  const go = (to: number): void => {
    shown.first = Math.max(0, Math.min(to, output.elementCount - 1))
    void showOutput(shown)
  }
  const readAs = (e: Event): void => {
    const as = targetValue(e)
    shown.as = as === 'f32' || as === 'u32' || as === 'i32' || as === 'hex' ? as : undefined
    void showOutput(shown)
  }
  return html`<div class="bar">
    <button type="button" ?disabled=${first === 0} @click=${() => go(first - TABLE_ROWS)} aria-label="elements before">←</button>
    <label>from <input class="short" type="number" min="0" .value=${`${first}`} @change=${(e: Event) => go(Math.floor(Number(targetValue(e))) || 0)}></label>
    <span class="dim">of ${output.elementCount}</span>
    <button type="button" ?disabled=${first + TABLE_ROWS >= output.elementCount} @click=${() => go(first + TABLE_ROWS)} aria-label="elements behind">→</button>
    <label>as <select @change=${readAs}>${['reflected', 'f32', 'u32', 'i32', 'hex'].map((k) => html`<option ?selected=${k === (shown.as ?? 'reflected')}>${k}</option>`)}</select></label></div>`
}

const PIXEL_NAMES: Readonly<Record<PixelKind, string>> = {
  f32: 'picture of floats',
  f32x4: 'picture of 4 floats',
  u32: 'picture of integers',
  rgba8: 'picture of RGBA bytes',
}

const isPixelKind = (text: string): text is PixelKind => Object.hasOwn(PIXEL_NAMES, text)

/** Pixels of a row until the user says another number: the picture is about square. */
const usualWidth = ({ output }: ShownOutput): number => Math.max(1, Math.ceil(Math.sqrt(output.elementCount)))

/** Buffers are tables, or pictures of their bytes. */
function pixelBar(shown: ShownOutput): TemplateResult {
  const { pixels, output } = shown
  const show = (made: ShownOutput['pixels']): void => {
    shown.pixels = made
    shown.image = undefined
    void showOutput(shown)
  }
  const choose = (e: Event): void => {
    const kind = targetValue(e)
    show(isPixelKind(kind) ? { kind, width: pixels?.width ?? usualWidth(shown) } : undefined)
  }
  return html`<div class="bar"><label>show <select aria-label="${output.label} shown as" @change=${choose}>
      <option value="" ?selected=${pixels === undefined}>table</option>${Object.entries(PIXEL_NAMES).map(([kind, name]) => html`<option value=${kind} ?selected=${kind === pixels?.kind}>${name}</option>`)}</select></label>
    ${pixels === undefined ? nothing : html`<label>pixels in a row <input class="short" type="number" min="1" .value=${`${pixels.width}`} @change=${(e: Event) => show({ ...pixels, width: Math.max(1, Math.floor(Number(targetValue(e))) || 1) })}></label>`}</div>`
}

/** Draws have a history of each pixel. */
const isFrame = (): boolean => jobForm(store.project?.job ?? '')?.dispatch === undefined

const showHistory = (x: number, y: number): void => void pixelHistory(x, y)

function outputBody(shown: ShownOutput): TemplateResult {
  const { output, image, table } = shown
  if (output.isTexture) {
    if (image === undefined) return html`<p class="dim">loading…</p>`
    return typeof image === 'string'
      ? html`<p>${image}</p>`
      : html`<heddle-texels .image=${image} label=${output.label} .showHistory=${isFrame() && output.isWritten ? showHistory : undefined}></heddle-texels>`
  }
  if (shown.pixels !== undefined) {
    const picture =
      typeof image === 'object'
        ? html`<heddle-texels .image=${image} label=${output.label}></heddle-texels>`
        : html`<p class="dim">${image ?? 'loading…'}</p>`
    return html`${pixelBar(shown)}${picture}`
  }
  return html`${pixelBar(shown)}${pager(shown)}${table === undefined ? html`<p class="dim">no elements</p>` : tableView(table, output.label)}`
}

function outputsPart(): TemplateResult | typeof nothing {
  const { answer, shown } = store.run
  if (answer === undefined) return nothing
  return html`<h2>Outputs</h2>${answer.outputs.map((output) => {
    const open = shown.get(output.id)
    return html`<section class="card output"><h3><button type="button" class="link" aria-expanded=${open !== undefined} @click=${() => toggleOutput(output.id)}>${output.label}</button>
      <span class="dim">${output.what}</span></h3>
      ${
        open === undefined
          ? nothing
          : html`${outputBody(open)}<div class="bar">
        <button type="button" @click=${() => void saveOutput(output.id, output.label, false)}>Save bytes</button>
        ${output.isTexture ? html`<button type="button" @click=${() => void saveOutput(output.id, output.label, true)}>Save PNG</button>` : nothing}</div>`
      }
    </section>`
  })}`
}

function checksPart(): TemplateResult | typeof nothing {
  const checks = store.run.answer?.checks ?? []
  if (checks.length === 0) return nothing
  return html`<h2>Expected</h2><ul class="findings">${checks.map(
    (c) =>
      html`<li class=${c.passed ? 'passed' : 'error'}><b>${c.passed ? 'as expected' : 'different'}</b> ${c.label}</li>`,
  )}</ul>`
}

export function runView(): TemplateResult {
  const { active, project, run } = store
  if (active === undefined || project === undefined) return html`<p class="dim">Open a shader, or take an example.</p>`
  return html`<div class="bar">
      <button type="button" class="primary" ?disabled=${active.bytes === undefined} aria-disabled=${run.work !== undefined} @click=${() => void runNow()}>Run</button>
      <span class="dim key">Ctrl+Enter</span>
      <span class="summary">${run.failure ?? run.answer?.summary ?? ''}${run.answer?.engine ? html` <span class="dim">${run.answer.engine}</span>` : nothing}</span></div>
    ${run.work === undefined ? nothing : workBar(run.work)}
    ${run.answer === undefined ? diagnosticList(project.diagnostics) : diagnosticList(run.answer.diagnostics)}
    ${checksPart()}
    ${outputsPart()}
    <h2>Resources</h2>
    ${project.job === undefined ? html`<p class="dim">A description is made when the shader has no errors.</p>` : jobPart(project)}`
}
