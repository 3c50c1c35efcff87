/** Semantic tokens as the protocol counts them, and what changed since the last answer. */
import { type SemanticTokens, SemanticTokensBuilder, type SemanticTokensDelta } from 'vscode-languageserver'
import type { TextRange } from '../../../src/asm/index.ts'
import { TOKEN_TYPES, type TokenType, tokensIn } from '../../../src/language/index.ts'
import type { OpenDocument } from './documents.ts'

const TYPE_NUMBERS = new Map<TokenType, number>(TOKEN_TYPES.map((type, i) => [type, i]))

function pushTokens(builder: SemanticTokensBuilder, { shader, position }: OpenDocument, range: TextRange): void {
  for (const { start, length, type, modifiers } of tokensIn(shader, range)) {
    const { line, character } = position(start)
    builder.push(line, character, length, TYPE_NUMBERS.get(type)!, modifiers)
  }
}

/** The tokens last sent for each open text: a delta is computed against them. */
export class TokenAnswers {
  readonly #builders = new Map<string, SemanticTokensBuilder>()

  #builderOf(uri: string): SemanticTokensBuilder {
    const builder = this.#builders.get(uri) ?? new SemanticTokensBuilder()
    this.#builders.set(uri, builder)
    return builder
  }

  /** All tokens; where the editor names its last answer, what changed since. */
  full(document: OpenDocument, previousResultId?: string): SemanticTokens | SemanticTokensDelta {
    const builder = this.#builderOf(document.uri)
    if (previousResultId !== undefined) builder.previousResult(previousResultId)
    else builder.previousResult('')
    pushTokens(builder, document, { start: 0, end: document.shader.text.length })
    return previousResultId === undefined ? builder.build() : builder.buildEdits()
  }

  range(document: OpenDocument, range: TextRange): SemanticTokens {
    const builder = new SemanticTokensBuilder()
    pushTokens(builder, document, range)
    return builder.build()
  }

  forget(uri: string): void {
    this.#builders.delete(uri)
  }
}
