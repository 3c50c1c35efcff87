import { type Diagnostic, diagnostic, failure, hasErrors, type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import type { Declarations } from '../declarations.ts'
import { type BuilderOptions, type Lowered, passed } from '../ir/index.ts'
import { runPartsAtOnce } from '../next-task.ts'
import { structureOf } from './blocks.ts'
import { checkOperands } from './check-operands.ts'
import type { Specialization } from './translation.ts'
import { Translator } from './translator.ts'
import { Unsupported } from './unsupported.ts'

/** Translates programs; engines call it. */

/** Which part of a program this compiler does not support, as a diagnostic. */
function refusal(e: Unsupported): Diagnostic {
  return diagnostic('engine-not-compiled', `${e.message}`, { kind: 'statement', index: e.statement })
}

/** Translates a program; errors where its flow does not nest or it holds something that is not compiled. */
export const translate = (...given: Parameters<typeof translateInParts>): Outcome<Lowered> =>
  runPartsAtOnce(translateInParts(...given))

/** As `translate`, in parts of less than a millisecond or a few: long shaders take 50 in a new process. */
export function* translateInParts(
  declarations: Declarations,
  options: BuilderOptions,
  specialization: Specialization = {},
): Generator<void, Outcome<Lowered>> {
  const entry = declarations.entries[specialization.entry ?? 0]
  const structured = structureOf(declarations.program, entry?.first, entry?.end)
  if (hasErrors(structured.diagnostics)) return failure(structured.diagnostics)
  const t = new Translator(declarations, structured.value, options, specialization)
  try {
    checkOperands(declarations)
    yield* t.main()
  } catch (e) {
    if (e instanceof Unsupported) return failure([refusal(e)])
    throw e
  }
  const { builder, bindings, privateArrays, neighborReads } = t
  const lowered = { declarations, builder, root: builder.root, bindings, privateArrays, neighborReads }
  return outcomeOf(passed(lowered, 'translate'))
}
