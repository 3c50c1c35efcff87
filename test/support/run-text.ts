import { parseProgram } from '../../src/asm/index.ts'
import { hasErrors, ShaderError, valueOrThrow } from '../../src/diagnostic/index.ts'
import {
  type DispatchOptions,
  type DispatchResult,
  type GroupCounts,
  type LoadOptions,
  matchBindings,
} from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import type { Bindings } from '../../src/machine/index.ts'
import type { Program } from '../../src/program/index.ts'
import { loadShadow, runShadowed } from './shadow.ts'

const ENGINE = createReferenceEngine({})

/** A program from assembly text; throws where the text has errors. */
export function programOf(text: string): Program {
  const outcome = parseProgram(text)
  if (hasErrors(outcome.diagnostics)) throw new ShaderError(outcome.diagnostics)
  return valueOrThrow(outcome)
}

export interface RunOptions extends DispatchOptions {
  readonly groups?: GroupCounts
  readonly load?: LoadOptions
}

/** Runs assembly text on the reference engine. Throws ShaderError where it cannot be loaded or its bindings do not fit. */
export function runText(text: string, bindings: Bindings, options: RunOptions = {}): DispatchResult {
  return runProgram(programOf(text), bindings, options)
}

export function runProgram(program: Program, bindings: Bindings, options: RunOptions = {}): DispatchResult {
  const { groups = [1, 1, 1], load = {}, ...dispatch } = options
  const loaded = ENGINE.load(program, load)
  const shadow = loadShadow(program, load, loaded.value === undefined)
  const shader = valueOrThrow(loaded)
  const matched = valueOrThrow(matchBindings(shader.declarations, bindings))
  return runShadowed(shadow, matched, groups, dispatch, () => {
    const result = ENGINE.dispatch(shader, matched, groups, dispatch)
    if (result instanceof Promise) throw new Error('the reference engine answers at once')
    return result
  })
}
