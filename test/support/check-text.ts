import { parseProgram, statementLister } from '../../src/asm/index.ts'
import { type CheckOptions, check, type Report } from '../../src/check/index.ts'
import { hasErrors, ShaderError, valueOrThrow } from '../../src/diagnostic/index.ts'
import type { GroupCounts } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { type Bindings, createBuffer, createUav, type Uav } from '../../src/machine/index.ts'

const ENGINE = createReferenceEngine({})

/** A raw UAV of zeros. */
export function rawUav(byteLength: number): Uav {
  return valueOrThrow(createUav(valueOrThrow(createBuffer({ byteLength })), { raw: true }))
}

/** A structured UAV of zeros. */
export function structuredUav(stride: number, count: number): Uav {
  return valueOrThrow(createUav(valueOrThrow(createBuffer({ byteLength: stride * count, stride }))))
}

export interface CheckTextOptions extends CheckOptions {
  readonly groups?: GroupCounts
}

/** Checks assembly text on the reference engine. */
export async function checkText(text: string, bindings: Bindings, options: CheckTextOptions = {}): Promise<Report> {
  const outcome = parseProgram(text)
  if (hasErrors(outcome.diagnostics)) throw new ShaderError(outcome.diagnostics)
  const { groups = [1, 1, 1], ...rest } = options
  const report = await check(ENGINE, valueOrThrow(outcome), bindings, groups, { lister: statementLister, ...rest })
  if (report.partial === 'refused') throw new ShaderError(report.diagnostics)
  return report
}

/** What a report found beside hints: code and instruction number of each finding, in alphabetical order. */
export function foundIn(report: Report): string[] {
  return report.findings
    .filter((f) => f.severity !== 'hint')
    .map((f) => `${f.code}@${f.site.instruction}`)
    .sort()
}

/** The codes of all findings, hints too. */
export function codesIn(report: Report): string[] {
  return [...new Set(report.findings.map((f) => f.code as string))].sort()
}
