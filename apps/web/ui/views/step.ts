/** Stepping both ways: the lanes of a group, registers, memory with who wrote it, the time line, watches. */
import { html, nothing, svg, type TemplateResult } from 'lit'
import type { DebugFinding, DebugMoment, DebugMove, DebugScope, DebugValue, MemoryWord } from '../../model/debug.ts'
import { store } from '../state/store.ts'
import {
  debugCommand,
  findTimes,
  focusThread,
  goToClock,
  goToFinding,
  moveDebug,
  refreshDebug,
  showHistory,
  showMemory,
  startDebug,
} from '../state/work.ts'
import { tableView, workBar } from './run.ts'

const move = (
  kind: DebugMove['kind'],
  direction: DebugMove['direction'],
  depth: DebugMove['depth'] = 'in',
  unit: DebugMove['unit'] = 'line',
): DebugMove => ({ kind, direction, unit, depth })

interface Control {
  readonly text: string
  readonly keys: string
  readonly move: DebugMove
}

/** The moves, by the letter that stands for each. */
export const MOVES: Readonly<Record<string, Control>> = {
  b: { text: '◀ Back', keys: 'Shift+F10, b', move: move('step', 'backward', 'over') },
  n: { text: 'Next ▶', keys: 'F10, n', move: move('step', 'forward', 'over') },
  s: { text: 'Into', keys: 'F11, s', move: move('step', 'forward', 'in') },
  o: { text: 'Out', keys: 'Shift+F11, o', move: move('step', 'forward', 'out') },
  w: { text: 'Any wave', keys: 'w', move: move('step', 'forward', 'in', 'any') },
  c: { text: 'Continue ▶▶', keys: 'F5, c', move: move('continue', 'forward') },
  r: { text: '◀◀ Reverse', keys: 'Shift+F5, r', move: move('continue', 'backward') },
}

/** While work goes on the buttons do nothing; disabled ones would lose the focus, and whoever uses keys their place. */
function controls(): TemplateResult {
  const { debug } = store
  const isIdle = debug.work === undefined
  const button = ({ text, keys, move: m }: Control): TemplateResult =>
    html`<button type="button" title=${keys} aria-disabled=${!isIdle} @click=${() => void moveDebug(m)}>${text}</button>`
  return html`<div class="bar steps" role="group" aria-label="steps">${['r', 'b', 'n', 's', 'o', 'w', 'c'].map((k) => button(MOVES[k]!))}
    <button type="button" aria-disabled=${!isIdle} @click=${() => void startDebug()}>Restart</button></div>`
}

/** Marks behind the slider; each is a button that goes there. */
function markButton(f: DebugFinding, isOther: boolean): TemplateResult {
  const clock = isOther ? f.other! : f.clock
  return html`<button type="button" @click=${() => void goToFinding(f, isOther)}>${isOther ? 'other access' : 'access'} at ${clock}</button>`
}

function timeLine(moment: DebugMoment): TemplateResult {
  const { times, work, search } = store.debug
  const end = times?.end ?? moment.end ?? moment.clock
  const barriers = times?.barriers ?? []
  const marks = [
    ...barriers.map((at) => ({ at, kind: 'barrier' })),
    ...(times?.findings ?? []).map((f) => ({ at: f.clock, kind: 'finding' })),
  ]
  return html`<div class="time">
    <label for="clock">Moment <output>${moment.clock}</output> of ${times === undefined ? '…' : end}</label>
    <svg class="marks" viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true">${marks.map(({ at, kind }) => markShape((at / Math.max(1, end)) * 1000, kind))}</svg>
    <input id="clock" type="range" min="0" max=${end} .value=${`${moment.clock}`} aria-disabled=${work !== undefined}
      @change=${(e: Event) => void goToClock(Number((e.target as HTMLInputElement).value))}>
    <div class="dim">${
      times === undefined
        ? html`<button type="button" class="link" aria-disabled=${search !== undefined} @click=${() => void findTimes()}>Look for findings and barriers</button>`
        : `${barriers.length} ${barriers.length === 1 ? 'barrier' : 'barriers'} passed, ${times.findings.length} ${times.findings.length === 1 ? 'finding' : 'findings'}`
    }</div></div>
    ${
      times === undefined || times.findings.length === 0
        ? nothing
        : html`<details ?open=${times.findings.length <= 2}><summary>Findings</summary><ul class="findings">${times.findings.map(
            (f) =>
              html`<li class="error">${f.message} <code>${f.code}</code><div class="bar">${markButton(f, false)}${f.other === undefined ? nothing : markButton(f, true)}</div></li>`,
          )}</ul></details>`
    }`
}

function markShape(x: number, kind: string): unknown {
  return kind === 'barrier'
    ? svg`<rect class="barrier" x=${x} y="0" width="2" height="16"></rect>`
    : svg`<path class="finding" d="M ${x} 1 l 6 7 l -6 7 l -6 -7 z"></path>`
}

/** The HLSL that debug data hold, with the line of the moment. */
function sourcePart(moment: DebugMoment): TemplateResult | typeof nothing {
  const { source } = moment
  const file = source && store.debug.opened?.sources[source.file]
  if (source === undefined || file === undefined || file.text === '') return nothing
  const lines = file.text.split('\n')
  const row = (i: number): TemplateResult =>
    html`<div class="code-row ${i + 1 === source.line ? 'next' : ''}" role="row" aria-rowindex=${i + 1}><span class="line-number" role="rowheader">${i + 1}</span><code role="cell">${lines[i]}</code></div>`
  return html`<details open><summary>${file.name.split(/[\\/]/).at(-1)}</summary><heddle-rows class="source" role="table" aria-label="source" aria-rowcount=${lines.length}
    .count=${lines.length} .rowHeight=${20} .row=${row} .shown=${source.line - 1}></heddle-rows></details>`
}

function gridPart(moment: DebugMoment): TemplateResult {
  const { debug } = store
  const color = (e: Event): void => {
    debug.gridExpression = (e.target as HTMLInputElement).value
    void refreshDebug()
  }
  const chooseGroup = (e: Event): void => {
    const group = moment.groups[Number((e.target as HTMLSelectElement).value)]
    if (group !== undefined) void focusThread(0, group)
  }
  const { focus, grid, groups } = moment
  return html`<section class="block"><h2>Threads</h2>
    <div class="bar"><label>color by <input class="expression" placeholder="place, or r0.x" .value=${debug.gridExpression} @change=${color}></label>
      ${groups.length > 1 ? html`<label>group <select @change=${chooseGroup}>${groups.map((g, i) => html`<option value=${i} ?selected=${g.join() === focus.group.join()}>${g.join(', ')}</option>`)}</select></label>` : nothing}
      <span>focus: thread ${focus.thread} <span class="dim">(${focus.position.join(', ')})</span></span></div>
    <heddle-lane-grid .grid=${grid} .focused=${focus.thread} .choose=${(thread: number) => void focusThread(thread, focus.group)}></heddle-lane-grid></section>`
}

function valueRow(scope: string, v: DebugValue, before: ReadonlyMap<string, string>): TemplateResult {
  const was = before.get(`${scope}/${v.name}`)
  const isChanged = was !== undefined && was !== v.value
  return html`<tr class=${isChanged ? 'changed' : ''}><th scope="row">${v.name}</th><td>${isChanged ? html`<span class="visually-hidden">changed: </span>` : nothing}${v.value}${v.parts.length > 0 && v.value === '' ? html`<details><summary>${v.parts.length + v.more} parts</summary>${parts(v)}</details>` : nothing}</td></tr>`
}

function parts(v: DebugValue): TemplateResult {
  return html`<ul class="parts">${v.parts.map((p) => html`<li>${p.name} = ${p.value}${p.parts.length > 0 ? parts(p) : nothing}</li>`)}${v.more > 0 ? html`<li class="dim">and ${v.more} more</li>` : nothing}</ul>`
}

/** Values of the moment before, where it is the same thread that was looked at. */
function valuesBefore(moment: DebugMoment): ReadonlyMap<string, string> {
  const { before } = store.debug
  const isSame =
    before !== undefined &&
    before.focus.thread === moment.focus.thread &&
    before.focus.group.join() === moment.focus.group.join()
  return new Map(
    isSame ? before.scopes.flatMap((s) => s.values.map((v) => [`${s.name}/${v.name}`, v.value] as const)) : [],
  )
}

const CLOSED: ReadonlySet<string> = new Set(['Constants', 'Wave'])

function scopePart({ name, values }: DebugScope, before: ReadonlyMap<string, string>): TemplateResult {
  return html`<details ?open=${!CLOSED.has(name)}><summary>${name}</summary><table class="values" aria-label=${name}><thead class="visually-hidden"><tr><th scope="col">name</th><th scope="col">value</th></tr></thead>
    <tbody>${values.map((v) => valueRow(name, v, before))}</tbody></table></details>`
}

function watchPart(moment: DebugMoment): TemplateResult {
  const { debug } = store
  const add = (e: Event): void => {
    e.preventDefault()
    const field = (e.target as HTMLFormElement).elements.namedItem('expression') as HTMLInputElement
    if (field.value.trim() === '') return
    debug.watches = [...debug.watches, field.value.trim()]
    field.value = ''
    void refreshDebug()
  }
  const drop = (i: number): void => {
    debug.watches = debug.watches.filter((_, at) => at !== i)
    void refreshDebug()
  }
  return html`<section class="block"><h2>Watches</h2>
    ${
      moment.watches.length === 0
        ? nothing
        : html`<table class="values" aria-label="watches"><tbody>${moment.watches.map(
            (w, i) =>
              html`<tr><th scope="row">${w.text}</th><td class=${w.isWrong ? 'error' : ''}>${w.value}</td><td><button type="button" class="close" aria-label="drop ${w.text}" @click=${() => drop(i)}>×</button></td></tr>`,
          )}</tbody></table>`
    }
    <form class="bar" @submit=${add}><input name="expression" class="expression" aria-label="expression to watch" placeholder="r0.x, asint(r1.y), min(r0.x@*)"><button>Watch</button></form></section>`
}

const FLOAT = new DataView(new ArrayBuffer(4))
function floatOf(bits: number): string {
  FLOAT.setUint32(0, bits)
  const value = FLOAT.getFloat32(0)
  return Number.isInteger(value) ? `${value}` : value.toPrecision(6)
}

/** A word by its readings; of one that is undefined they say nothing, and are crossed out. */
function readings({ bits, isUndefined }: MemoryWord): TemplateResult {
  const cells = [bits.toString(16).padStart(8, '0'), `${bits | 0}`, floatOf(bits)]
  return html`${cells.map((text) => html`<td>${isUndefined ? html`<s class="dim">${text}</s>` : text}</td>`)}`
}

function wordRow(word: MemoryWord): TemplateResult {
  const { byteOffset, isUndefined, unwritten, writer } = word
  const { history } = store.debug
  const isOpen = history?.byteOffset === byteOffset
  return html`<tr class=${isOpen ? 'selected' : ''}><th scope="row"><button type="button" class="link" aria-expanded=${isOpen} @click=${() => void showHistory(byteOffset)}>+${byteOffset}</button></th>
    ${readings(word)}
    <td>${writer === undefined ? html`<span class="dim">${unwritten ?? 'not written by the run so far'}</span>` : html`<button type="button" class="link" @click=${() => void goToClock(writer.clock)}>clock ${writer.clock}</button> thread ${writer.thread}, ${writer.place}${isUndefined ? html` <span class="dim">${unwritten}</span>` : ''}`}</td></tr>`
}

function memoryPart(): TemplateResult {
  const { debug } = store
  const { opened, memory, history } = debug
  return html`<details ?open=${memory !== undefined} @toggle=${(e: Event) => {
    if ((e.target as HTMLDetailsElement).open && debug.memory === undefined)
      void showMemory(debug.space, debug.byteOffset)
  }}><summary>Memory</summary>
    <div class="bar"><label>space <select @change=${(e: Event) => void showMemory((e.target as HTMLSelectElement).value, 0)}>${opened?.spaces.map((s) => html`<option ?selected=${s === debug.space}>${s}</option>`)}</select></label>
      <label>from byte <input class="short" type="number" min="0" step="4" .value=${`${debug.byteOffset}`} @change=${(e: Event) => void showMemory(debug.space, Number((e.target as HTMLInputElement).value))}></label>
      <span class="dim">${memory === undefined ? '' : `${memory.label}, ${memory.byteLength} bytes`}</span></div>
    ${
      memory === undefined
        ? nothing
        : html`<div class="scroll tall" tabindex="0" role="region" aria-label="memory of ${memory.space}"><table class="values" aria-label="memory of ${memory.space}">
      <thead><tr><th scope="col">byte</th><th scope="col">hex</th><th scope="col">int</th><th scope="col">float</th><th scope="col">last written</th></tr></thead>
      <tbody>${memory.words.map(wordRow)}</tbody></table></div>`
    }
    ${history === undefined ? nothing : html`<h3>History of ${debug.space}+${history.byteOffset}</h3>${history.table.rows.length === 0 ? html`<p class="dim">Nothing in the whole run reads or writes it.</p>` : tableView(history.table, 'history')}`}
  </details>`
}

function consolePart(): TemplateResult {
  const { debug } = store
  const send = (e: Event): void => {
    e.preventDefault()
    const field = (e.target as HTMLFormElement).elements.namedItem('command') as HTMLInputElement
    const line = field.value.trim()
    // What is typed meanwhile waits in the field.
    if (line === '' || debug.work !== undefined) return
    field.value = ''
    void debugCommand(line)
  }
  return html`<details ?open=${debug.console.length > 0}><summary>Commands</summary>
    <div class="console" tabindex="0" role="log" aria-label="answers">${debug.console.map((c) => html`<pre class=${c.isWrong ? 'error' : ''}>${c.text}</pre>`)}</div>
    <form class="bar" @submit=${send}><input name="command" class="expression" aria-label="command" placeholder="help, break 12 if asint(r0.x) == 3, catch races" autocomplete="off"><button>Send</button></form></details>`
}

function momentPart(moment: DebugMoment): TemplateResult {
  const before = valuesBefore(moment)
  return html`${timeLine(moment)}
    <p class="stop"><b>${moment.reason}</b> ${moment.lines.slice(-1)[0] ?? ''}${moment.stage === undefined ? nothing : html` <span class="dim">${moment.stage} shader</span>`}</p>
    ${sourcePart(moment)}
    ${gridPart(moment)}
    <section class="block"><h2>Values</h2>${moment.scopes.map((s) => scopePart(s, before))}</section>
    ${watchPart(moment)}${memoryPart()}${consolePart()}`
}

export function stepView(): TemplateResult {
  const { active, debug } = store
  if (active === undefined) return html`<p class="dim">Open a shader, or take an example.</p>`
  const { moment, work, search, failure } = debug
  return html`<div class="stepping" data-keys="step">
    ${
      moment === undefined
        ? html`<div class="bar"><button type="button" class="primary" ?disabled=${active.bytes === undefined} aria-disabled=${work !== undefined} @click=${() => void startDebug()}>Start</button></div>
        <p class="dim">Steps through the run in both directions, with the resources of Run. Nothing has to be recorded first.</p>`
        : controls()
    }
    <div class="moment" tabindex="0" role="region" aria-label="moment">${work === undefined ? nothing : workBar(work)}
    ${work === undefined && search !== undefined ? workBar(search) : nothing}
    ${failure === undefined ? nothing : html`<p class="error">${failure}</p>`}
    ${moment === undefined ? nothing : momentPart(moment)}</div></div>`
}
