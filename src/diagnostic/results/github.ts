/** Workflow commands by which GitHub shows findings beside the files of a change. */
import type { Severity } from '../diagnostic.ts'
import { withSlashes } from '../slashes.ts'

export interface Annotation {
  readonly severity: Severity
  readonly title: string
  readonly message: string
  readonly file: string
  /** From 1; the first where it is not known. */
  readonly line?: number
}

const COMMANDS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', hint: 'notice' }

const escapeData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const escapeProperty = (text: string): string => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** One line: `::error file=a.json,line=1,title=check-race::message`. */
export function githubAnnotation({ severity, title, message, file, line = 1 }: Annotation): string {
  const place = `file=${escapeProperty(withSlashes(file))},line=${line},title=${escapeProperty(title)}`
  return `::${COMMANDS[severity]} ${place}::${escapeData(message)}`
}
