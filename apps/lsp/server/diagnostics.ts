/** Findings as the editor shows them: soon after each change what the assembler says, then the rules, then what has no effect. */
import {
  type Connection,
  type Diagnostic,
  DiagnosticSeverity,
  DiagnosticTag,
  type DocumentDiagnosticReport,
  DocumentDiagnosticReportKind,
} from 'vscode-languageserver'
import type { Severity } from '../../../src/diagnostic/index.ts'
import {
  allFindings,
  assemblerFindings,
  movedFindings,
  ruleFindings,
  type ShaderDocument,
  type TextFinding,
  unnecessaryFindings,
} from '../../../src/language/index.ts'
import type { DocumentStore, OpenDocument } from './documents.ts'

const SEVERITY: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  hint: DiagnosticSeverity.Information,
}

/** What the client takes of a finding. */
export interface FindingStyle {
  /** Where the pages of docs/ are, with a slash at its end. */
  readonly docsUrl: string | undefined
  /** Other places are links; else they stand in the message. */
  readonly hasRelated: boolean
}

/** A finding with its notes below its message. */
export function diagnosticOf(document: OpenDocument, found: TextFinding, style: FindingStyle): Diagnostic {
  const { code, severity, message, notes, range, related, isUnnecessary } = found
  const { docsUrl, hasRelated } = style
  const { uri } = document
  const places = related.map((r) => ({ location: { uri, range: document.range(r.range) }, message: r.message }))
  const lines = places.map((p) => `line ${p.location.range.start.line + 1}: ${p.message}`)
  return {
    range: document.range(range),
    severity: isUnnecessary ? DiagnosticSeverity.Hint : SEVERITY[severity],
    code,
    source: 'heddle',
    message: [message, ...(hasRelated ? [] : lines), ...notes].join('\n'),
    ...(docsUrl === undefined ? {} : { codeDescription: { href: `${docsUrl}findings.md#${code}` } }),
    ...(hasRelated && places.length > 0 ? { relatedInformation: places } : {}),
    ...(isUnnecessary ? { tags: [DiagnosticTag.Unnecessary] } : {}),
  }
}

/** Whether two versions of a text have other findings of assembler and rules: most keys change none. */
function haveOtherFindings(before: ShaderDocument, after: ShaderDocument): boolean {
  const said = (d: ShaderDocument) => [...assemblerFindings(d), ...ruleFindings(d)]
  const [a, b] = [said(before), said(after)]
  return a.length !== b.length || a.some((f, i) => f.code !== b[i]!.code || f.message !== b[i]!.message)
}

/** What a check of a text found, while the text is the one that was checked. */
interface CheckedText {
  readonly shader: ShaderDocument
  readonly found: readonly TextFinding[]
}

/**
 * Publishes the findings of texts that change. A newer version takes the place of one that waits. A client that requests findings
 * itself is sent only those of checks from its first request on: it shows both.
 */
export class DiagnosticsPublisher {
  readonly #connection: Connection
  readonly #documents: DocumentStore
  readonly #waiting = new Map<string, ReturnType<typeof setTimeout>>()
  /** The last text of which all was said: what has no effect stays gray until it is known anew. */
  readonly #whole = new Map<string, ShaderDocument>()
  readonly #checked = new Map<string, CheckedText>()
  readonly #ids = new WeakMap<ShaderDocument, string>()
  #lastId = 0
  /** The client requests findings: it has done so once, as some that say they can never do. */
  #isPulled = false
  style: FindingStyle = { docsUrl: undefined, hasRelated: false }

  constructor(connection: Connection, documents: DocumentStore) {
    this.#connection = connection
    this.#documents = documents
  }

  /** Findings of a text are due. */
  schedule(uri: string): void {
    if (!this.#isPulled) this.#wait(uri, () => this.#publishAssembler(uri))
    else if (this.#checked.has(uri)) this.#wait(uri, () => this.#publishChecked(uri))
  }

  /** A text was checked; what was found is shown until the text changes. */
  setChecked(document: OpenDocument, found: readonly TextFinding[]): void {
    const { uri, shader } = document
    this.#checked.set(uri, { shader, found })
    if (this.#isPulled) this.#publishChecked(uri)
    else this.schedule(uri)
  }

  /** What was sent before the first request goes, and nothing more is sent but findings of checks. */
  #stopPublishing(): void {
    if (this.#isPulled) return
    this.#isPulled = true
    for (const uri of this.#documents.uris()) this.#wait(uri, () => this.#publishChecked(uri))
  }

  /** The answer to a client that requests the findings of a text, of which it may have those of an earlier answer. */
  answer(document: OpenDocument, previous: string | undefined): DocumentDiagnosticReport {
    this.#stopPublishing()
    const { shader } = document
    const resultId = this.#ids.get(shader) ?? `${++this.#lastId}`
    this.#ids.set(shader, resultId)
    if (resultId === previous) return { kind: DocumentDiagnosticReportKind.Unchanged, resultId }
    const items = allFindings(shader).map((f) => diagnosticOf(document, f, this.style))
    return { kind: DocumentDiagnosticReportKind.Full, resultId, items }
  }

  /** A text is no longer open: what was said of it goes. */
  clear(uri: string): void {
    clearTimeout(this.#waiting.get(uri))
    this.#waiting.delete(uri)
    this.#whole.delete(uri)
    this.#checked.delete(uri)
    void this.#connection.sendDiagnostics({ uri, diagnostics: [] })
  }

  #wait(uri: string, work: () => void): void {
    clearTimeout(this.#waiting.get(uri))
    this.#waiting.set(uri, setTimeout(work, 0))
  }

  /** What a check found in this very text; of an earlier one it is forgotten. */
  #checkedOf({ uri, shader }: OpenDocument): readonly TextFinding[] {
    const checked = this.#checked.get(uri)
    if (checked === undefined) return []
    if (checked.shader === shader) return checked.found
    this.#checked.delete(uri)
    return []
  }

  #publishChecked(uri: string): void {
    const document = this.#documents.get(uri)
    if (document !== undefined) this.#publish(document, this.#checkedOf(document))
  }

  #publishAssembler(uri: string): void {
    const document = this.#documents.get(uri)
    if (document === undefined) return
    const found = assemblerFindings(document.shader)
    // Most states of a text while someone types have nothing that the assembler complains of: one message then.
    if (found.length > 0) this.#publish(document, found)
    this.#wait(uri, () => this.#publishRules(uri, document))
  }

  #publishRules(uri: string, document: OpenDocument): void {
    if (this.#documents.get(uri) !== document) return
    const { shader } = document
    const before = this.#whole.get(uri)
    if (before === undefined || haveOtherFindings(before, shader)) {
      const gray = before === undefined ? [] : movedFindings(unnecessaryFindings(before), before, shader)
      this.#publish(document, [...assemblerFindings(shader), ...ruleFindings(shader), ...gray])
    }
    this.#wait(uri, () => this.#publishAll(uri, document))
  }

  #publishAll(uri: string, document: OpenDocument): void {
    if (this.#documents.get(uri) !== document) return
    this.#waiting.delete(uri)
    this.#whole.set(uri, document.shader)
    this.#publish(document, [...allFindings(document.shader), ...this.#checkedOf(document)])
    // Tests and measurements wait for this; clients ignore notifications of this form that they have no handler for.
    void this.#connection.sendNotification('$/heddle/checked', { uri, version: document.shader.version })
  }

  #publish(document: OpenDocument, found: readonly TextFinding[]): void {
    const diagnostics = found.map((f) => diagnosticOf(document, f, this.style))
    void this.#connection.sendDiagnostics({ uri: document.uri, version: document.shader.version, diagnostics })
  }
}
