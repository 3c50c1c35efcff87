/** What the checker found: a list, the places in the listing, explanations and suppressions. */
import { html, nothing, type TemplateResult } from 'lit'
import type { ReportFinding, ReportLine, ReportSite } from '../../../../src/check/index.ts'
import { countsText } from '../../model/finding-counts.ts'
import { saveReport } from '../state/save.ts'
import { store } from '../state/store.ts'
import { checkNow } from '../state/work.ts'
import { diagnosticList, workBar } from './run.ts'

const placeText = ({ instruction, statement, source }: ReportLine): string =>
  `${source === undefined ? '' : `${source.file}:${source.line}, `}${instruction === undefined ? `statement ${statement}` : `instruction ${instruction}`}`

const ACCESSES = { load: 'reads', store: 'writes', atomic: 'changes by an atomic', other: '' } as const

function siteText(site: ReportSite): string {
  const who = site.invocation ?? `thread (${site.thread.join(', ')}) of group (${site.group.join(', ')})`
  const access = site.action === undefined ? ` ${ACCESSES[site.access]}`.trimEnd() : `: ${site.action}`
  return `${who}${access} at ${placeText(site)}`
}

/** On a phone the listing is a view of its own, which shows the finding that is chosen. */
function showInListing(): void {
  store.show('listing')
}

function select(i: number): void {
  store.check.selected = store.check.selected === i ? undefined : i
  store.changed()
}

function explain(code: string): void {
  const { explained } = store.check
  if (!explained.delete(code)) explained.add(code)
  store.changed()
}

/** Judged as intended: it is not shown again for this instruction. */
function suppress({ code, site }: ReportFinding): void {
  const { project } = store
  if (project === undefined) return
  const line = site.instruction === undefined ? code : `${code}@${site.instruction}`
  project.suppressions = `${project.suppressions}${line}\n`
  void checkNow()
}

function sitePart(label: string, site: ReportSite): TemplateResult {
  return html`<div class="site"><span class="dim">${label}</span> ${siteText(site)}${site.listing === undefined ? nothing : html`<br><code>${site.listing}</code>`}</div>`
}

function findingItem(f: ReportFinding, i: number): TemplateResult {
  const isOpen = store.check.selected === i
  const isExplained = store.check.explained.has(f.code)
  const at = f.site.instruction === undefined ? '' : `at instruction ${f.site.instruction}`
  return html`<li class="${f.severity} ${isOpen ? 'selected' : ''}">
    <button type="button" class="link message" aria-expanded=${isOpen} @click=${() => select(i)}><b>${f.severity}:</b> ${f.message}</button>
    <code>${f.code}</code>${at === '' ? nothing : html` <span class="dim">${at}</span>`}${f.count > 1 ? html`<span class="dim">, ${f.count} times</span>` : nothing}
    ${f.memory === undefined ? nothing : html`<div class="dim">${f.memory.text}</div>`}
    ${isOpen ? html`${sitePart('here', f.site)}${f.other === undefined ? nothing : sitePart('with', f.other)}${f.notes.map((n) => html`<div class="dim">${n}</div>`)}` : nothing}
    <div class="bar"><button type="button" aria-label="Explain ${f.code}" aria-expanded=${isExplained} @click=${() => explain(f.code)}>Explain</button>
      <button type="button" aria-label="Suppress ${f.code} ${at}" @click=${() => suppress(f)}>Suppress</button>
      ${isOpen ? html`<button type="button" class="only-narrow" @click=${showInListing}>Show in the listing</button>` : nothing}</div>
    ${isExplained ? html`<p class="explanation">${store.check.answer?.explanations[f.code]}</p>` : nothing}
  </li>`
}

function suppressionsPart(): TemplateResult | typeof nothing {
  const { project } = store
  if (project === undefined) return nothing
  const take = (e: Event): void => {
    project.suppressions = (e.target as HTMLTextAreaElement).value
    store.changed()
  }
  return html`<details ?open=${project.suppressions !== ''}><summary>Suppressions</summary>
    <textarea rows="4" spellcheck="false" aria-label="suppressions, one a line: CODE or CODE@INSTRUCTION" .value=${project.suppressions} @change=${take}></textarea></details>`
}

function reportPart(): TemplateResult | typeof nothing {
  const { answer, of } = store.check
  if (answer === undefined) return nothing
  const { report } = answer
  const isOld = of !== store.active?.text
  const partial = report.partial === undefined ? '' : ` The check is partial: ${report.partial}.`
  return html`${isOld ? html`<p class="warning">The listing was edited since; check again.</p>` : nothing}
    ${diagnosticList(report.diagnostics)}
    <p>${report.findings.length === 0 ? 'Nothing was found.' : `${countsText(report.findings)}.`}${partial}
      <span class="dim">${report.stats.threadInstructions.toLocaleString('en')} thread instructions watched.</span></p>
    <ol class="findings" aria-label="findings">${report.findings.map(findingItem)}</ol>`
}

export function checkView(): TemplateResult {
  const { active, check } = store
  if (active === undefined) return html`<p class="dim">Open a shader, or take an example.</p>`
  return html`<div class="bar">
      <button type="button" class="primary" ?disabled=${active.bytes === undefined} aria-disabled=${check.work !== undefined} @click=${() => void checkNow()}>Check</button>
      <button type="button" ?disabled=${check.answer === undefined} @click=${() => saveReport(active)}>Save report</button>
      <span class="summary">${check.failure ?? ''}</span></div>
    <p class="dim">Runs with the resources of Run, under detectors for accesses out of bounds, undefined values, races, barriers and counters.</p>
    ${check.work === undefined ? nothing : workBar(check.work)}
    ${reportPart()}
    ${suppressionsPart()}`
}
