/** Tables of what a shader is. A row that is chosen marks its lines in the listing. */
import { html, nothing, type TemplateResult } from 'lit'
import type {
  ReflectedElement,
  ReflectedResource,
  ReflectionBuffer,
  ReflectionMember,
} from '../../../../src/dxbc/index.ts'
import { charactersOf, hexOf } from '../../model/bytes.ts'
import type { Chunk, Inspection } from '../../model/shader.ts'
import { selectRow } from '../state/lines.ts'
import { type OpenFile, store } from '../state/store.ts'

interface Column<T> {
  readonly head: string
  readonly cell: (row: T) => string
  readonly isNumber?: boolean
}

interface TableOf<T> {
  readonly title: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  /** What the lines of a row match. */
  readonly pattern: (row: T) => RegExp | undefined
}

function tableView<T>(file: OpenFile, { title, columns, rows, pattern }: TableOf<T>): TemplateResult | typeof nothing {
  if (rows.length === 0) return nothing
  const choose = (row: T, i: number): void => {
    const lines = pattern(row)
    if (lines !== undefined) selectRow(`${title} ${i}`, file, lines)
  }
  return html`<section class="block">
    <h2>${title}</h2>
    <div class="scroll" tabindex="0" role="region" aria-label=${title}>
    <table aria-label=${title}>
      <thead><tr>${columns.map((c) => html`<th scope="col" class=${c.isNumber === true ? 'number' : ''}>${c.head}</th>`)}</tr></thead>
      <tbody>${rows.map((row, i) => {
        const isSelected = store.selectedKey === `${title} ${i}`
        return html`<tr class=${isSelected ? 'selected' : ''} @click=${() => choose(row, i)}>${columns.map((c, at) =>
          at === 0
            ? html`<th scope="row"><button type="button" class="link" aria-pressed=${isSelected}>${c.cell(row)}</button></th>`
            : html`<td class=${c.isNumber === true ? 'number' : ''}>${c.cell(row)}</td>`,
        )}</tr>`
      })}</tbody>
    </table></div>
  </section>`
}

const registerOf = (r: ReflectedResource): string => `${r.register}${r.slot}`
const wordPattern = (text: string): RegExp => new RegExp(`\\b${text}\\b`, 'i')

const BINDINGS: readonly Column<ReflectedResource>[] = [
  { head: 'Name', cell: (r) => r.name },
  { head: 'Register', cell: (r) => `${registerOf(r)}${r.space === 0 ? '' : `, space${r.space}`}` },
  { head: 'Kind', cell: (r) => r.type },
  { head: 'Format', cell: (r) => r.format },
  { head: 'Dimension', cell: (r) => r.dimension },
  { head: 'Count', cell: (r) => `${r.count ?? 'unbounded'}`, isNumber: true },
  { head: 'Stride', cell: (r) => `${r.stride ?? ''}`, isNumber: true },
]

interface LaidOut {
  readonly depth: number
  readonly byteOffset: number
  readonly member: ReflectionMember
  readonly isUsed: boolean
}

function laidOut(member: ReflectionMember, base: number, depth: number, isUsed: boolean): LaidOut[] {
  const byteOffset = base + member.byteOffset
  const own = { depth, byteOffset, member, isUsed }
  return [own, ...(member.members ?? []).flatMap((m) => laidOut(m, byteOffset, depth + 1, isUsed))]
}

const LAYOUT: readonly Column<LaidOut>[] = [
  { head: 'Variable', cell: ({ depth, member }) => `${' '.repeat(depth * 2)}${member.name}` },
  {
    head: 'Type',
    cell: ({ member }) => `${member.type}${member.elements === undefined ? '' : `[${member.elements}]`}`,
  },
  { head: 'Offset', cell: ({ byteOffset }) => `${byteOffset}`, isNumber: true },
  { head: 'Row', cell: ({ byteOffset }) => `${Math.floor(byteOffset / 16)}.${'xyzw'[(byteOffset >> 2) & 3]}` },
  { head: 'Used', cell: ({ isUsed }) => (isUsed ? 'yes' : 'no') },
]

function layoutTable(file: OpenFile, buffer: ReflectionBuffer, resources: readonly ReflectedResource[]) {
  const bound = resources.find((r) => r.name === buffer.name && r.register === 'cb')
  return tableView(file, {
    title: `${buffer.kind} ${buffer.name}, ${buffer.byteLength} bytes`,
    columns: LAYOUT,
    rows: buffer.variables.flatMap((v) => laidOut(v, 0, 0, v.used)),
    pattern: ({ byteOffset }) =>
      bound === undefined ? undefined : new RegExp(`\\bcb${bound.slot}\\[${Math.floor(byteOffset / 16)}\\]`, 'i'),
  })
}

const SIGNATURE: readonly Column<ReflectedElement>[] = [
  { head: 'Semantic', cell: (e) => e.name },
  { head: 'Index', cell: (e) => `${e.semanticIndex}`, isNumber: true },
  { head: 'Register', cell: (e) => `${e.register ?? 'none'}` },
  { head: 'Mask', cell: (e) => e.mask },
  { head: 'Type', cell: (e) => e.componentType },
]

function signatureTable(file: OpenFile, title: string, rows: readonly ReflectedElement[], letters: string) {
  const pattern = (e: ReflectedElement): RegExp | undefined =>
    e.register === undefined ? undefined : new RegExp(`\\b(?:${letters})(?:\\[[^\\]]*\\]\\[)?${e.register}\\b`, 'i')
  return tableView(file, { title, columns: SIGNATURE, rows, pattern })
}

const BYTES_IN_ROW = 16

function hexView({ fourcc, data }: Chunk): TemplateResult {
  const row = (i: number): TemplateResult => {
    const bytes = data.subarray(i * BYTES_IN_ROW, (i + 1) * BYTES_IN_ROW)
    const offset = (i * BYTES_IN_ROW).toString(16).padStart(6, '0')
    return html`<div class="hex-row"><span class="dim">${offset}</span><span>${hexOf(bytes)}</span><span class="dim">${charactersOf(bytes)}</span></div>`
  }
  const count = Math.ceil(data.length / BYTES_IN_ROW)
  return html`<heddle-rows class="hex" role="group" aria-label="bytes of ${fourcc}" .count=${count} .rowHeight=${20} .row=${row}></heddle-rows>`
}

function chunkTable({ chunks }: Inspection): TemplateResult {
  const toggle = (i: number): void => {
    store.openChunk = store.openChunk === i ? undefined : i
    store.changed()
  }
  const open = store.openChunk === undefined ? undefined : chunks[store.openChunk]
  return html`<section class="block">
    <h2>Chunks</h2>
    <table aria-label="Chunks">
      <thead><tr><th scope="col">Name</th><th scope="col" class="number">Bytes</th></tr></thead>
      <tbody>${chunks.map(
        ({ fourcc, data }, i) => html`<tr class=${store.openChunk === i ? 'selected' : ''}>
          <th scope="row"><button type="button" class="link" aria-expanded=${store.openChunk === i} @click=${() => toggle(i)}>${fourcc}</button></th>
          <td class="number">${data.length}</td></tr>`,
      )}</tbody>
    </table>
    ${open === undefined ? nothing : hexView(open)}
  </section>`
}

const spaced = (name: string): string => name.replace(/[A-Z]/g, (c) => ` ${c.toLowerCase()}`)

function statisticsTable({ statistics }: Inspection): TemplateResult | typeof nothing {
  if (statistics.length === 0) return nothing
  return html`<section class="block">
    <h2>Statistics</h2>
    <table aria-label="Statistics"><thead><tr><th scope="col">What</th><th scope="col" class="number">Count</th></tr></thead>
    <tbody>${statistics.map(([name, count]) => html`<tr><th scope="row">${spaced(name)}</th><td class="number">${count}</td></tr>`)}</tbody></table>
  </section>`
}

function facts({ profile, stage, threadGroup, byteLength, checksum, isSigned, features }: Inspection): TemplateResult {
  const fact = (name: string, value: unknown) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`
  return html`<dl class="facts">
    ${fact('Profile', profile ?? 'no program')}
    ${fact('Stage', stage ?? 'unknown')}
    ${threadGroup === undefined ? nothing : fact('Threads of a group', threadGroup.join(' x '))}
    ${fact('Size', `${byteLength} bytes`)}
    ${fact('Checksum', html`<code>${checksum}</code> ${isSigned ? 'right' : 'wrong: Direct3D refuses the file'}`)}
    ${features.length === 0 ? nothing : fact('Needs', features.map(spaced).join(', '))}
  </dl>`
}

function validatorList({ findings }: Inspection): TemplateResult | typeof nothing {
  const shown = findings.filter((d) => d.severity !== 'hint')
  if (shown.length === 0) return nothing
  return html`<section class="block"><h2>Validation</h2><ul class="findings">${shown.map(
    (d) => html`<li class=${d.severity}><b>${d.severity}</b> ${d.message} <code>${d.code}</code></li>`,
  )}</ul></section>`
}

export function inspectView(): TemplateResult {
  const file = store.active
  if (file === undefined) return html`<p class="dim">Open a shader, or take an example.</p>`
  const { inspection } = file
  if (inspection === undefined) {
    return html`<p class="dim">${file.isReading ? 'Reading…' : 'Tables appear when the listing has no errors.'}</p>
      <ul class="findings">${file.diagnostics.slice(0, 50).map((d) => html`<li class=${d.severity}><b>${d.severity}</b> ${d.message} <code>${d.code}</code></li>`)}</ul>`
  }
  const { reflection } = inspection
  return html`${facts(inspection)}
    ${validatorList(inspection)}
    ${tableView(file, { title: 'Bindings', columns: BINDINGS, rows: reflection.resources, pattern: (r) => wordPattern(registerOf(r)) })}
    ${reflection.buffers.filter((b) => b.kind !== 'interfaces').map((b) => layoutTable(file, b, reflection.resources))}
    ${signatureTable(file, 'Inputs', reflection.inputs, 'v|vicp|vcp')}
    ${signatureTable(file, 'Outputs', reflection.outputs, 'o|ocp|vocp')}
    ${signatureTable(file, 'Patch constants', reflection.patchConstants, 'o|vpc')}
    ${statisticsTable(inspection)}
    ${chunkTable(inspection)}`
}
