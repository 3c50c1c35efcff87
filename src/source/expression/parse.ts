/** Text to the tree of an expression: HLSL's operators and precedence, `@` for lanes, a format behind the last comma. */
import { didYouMean, failure, type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import type { ScalarType } from '../type.ts'
import { fail, guarded } from './fault.ts'
import { type Token, tokensOf } from './tokens.ts'
import type { BinaryOperator, Expression, NamedType, Node, Span, ValueFormat } from './tree.ts'

const MAX_LENGTH = 4096
/** Brackets, casts and operators in one another. */
const MAX_DEPTH = 64

/** Binary operators, those that bind least first. */
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
]

const FORMATS: Readonly<Record<ValueFormat, string>> = {
  x: 'hexadecimal',
  d: 'signed',
  u: 'unsigned',
  f: 'float',
  b: 'binary',
  o: 'octal',
  h: 'two 16-bit floats',
  c: 'color',
}

const TYPE =
  /^(float|double|int|uint|bool|half|min16float|min10float|min16int|min12int|min16uint)([1-4])?(?:x([1-4]))?$/

/** The type that a word names; undefined where it names none. */
export function namedType(word: string): NamedType | undefined {
  const m = TYPE.exec(word)
  if (m === null) return undefined
  const scalar = (m[1] === 'half' ? 'float' : m[1]) as ScalarType
  const first = Number(m[2] ?? 1)
  return m[3] === undefined ? { scalar, rows: 1, columns: first } : { scalar, rows: first, columns: Number(m[3]) }
}

class Parser {
  readonly #tokens: readonly Token[]
  #at = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  get #next(): Token {
    return this.#tokens[this.#at]!
  }

  #take(): Token {
    const token = this.#next
    if (token.kind !== 'end') this.#at++
    return token
  }

  #isMark(...marks: readonly string[]): boolean {
    return this.#next.kind === 'mark' && marks.includes(this.#next.text)
  }

  #expect(mark: string, why: string): Token {
    if (this.#isMark(mark)) return this.#take()
    const found = this.#next
    const text = found.kind === 'end' ? 'the expression ends' : `'${'text' in found ? found.text : 'a number'}' stands`
    return fail('source-syntax', `${text} where '${mark}' is expected, ${why}`, found)
  }

  #deeper<T>(parse: () => T): T {
    if (++this.#depth > MAX_DEPTH) fail('source-syntax', 'the expression nests too deep', this.#next)
    const value = parse()
    this.#depth--
    return value
  }

  expression(): Node {
    return this.#deeper(() => {
      const condition = this.#binary(0)
      if (!this.#isMark('?')) return condition
      this.#take()
      const yes = this.expression()
      this.#expect(':', 'between the two values of ?:')
      const no = this.expression()
      return { kind: 'choice', condition, yes, no, start: condition.start, end: no.end }
    })
  }

  #binary(level: number): Node {
    const operators = LEVELS[level]
    if (operators === undefined) return this.#unary()
    let left = this.#binary(level + 1)
    while (this.#isMark(...operators)) {
      const token = this.#take()
      const operator = (token as { text: string }).text as BinaryOperator
      const right = this.#binary(level + 1)
      left = { kind: 'binary', operator, left, right, start: left.start, end: right.end }
    }
    return left
  }

  #unary(): Node {
    return this.#deeper(() => {
      const token = this.#next
      if (
        token.kind === 'mark' &&
        (token.text === '-' || token.text === '+' || token.text === '!' || token.text === '~')
      ) {
        this.#take()
        const of = this.#unary()
        return { kind: 'unary', operator: token.text, of, start: token.start, end: of.end }
      }
      return this.#cast() ?? this.#postfix()
    })
  }

  /** `(float3) x`: a type's name alone in brackets. */
  #cast(): Node | undefined {
    const word = this.#tokens[this.#at + 1]
    const close = this.#tokens[this.#at + 2]
    if (!this.#isMark('(') || word?.kind !== 'name' || close?.kind !== 'mark' || close.text !== ')') return undefined
    const type = namedType(word.text)
    if (type === undefined) return undefined
    const { start } = this.#take()
    this.#at += 2
    const of = this.#unary()
    return { kind: 'cast', type, of, start, end: of.end }
  }

  #postfix(): Node {
    let node = this.#primary()
    for (let count = 0; ; count++) {
      if (count > MAX_DEPTH) fail('source-syntax', 'the expression nests too deep', this.#next)
      const { start } = node
      if (this.#isMark('.')) {
        this.#take()
        const name = this.#take()
        if (name.kind !== 'name') fail('source-syntax', 'the name of a member is expected behind the point', name)
        node = { kind: 'member', of: node, name: name.text, start, end: name.end }
      } else if (this.#isMark('[')) {
        const indices = this.#list(']')
        const { end } = this.#expect(']', 'behind an index')
        if (indices.length === 0) fail('source-syntax', 'the brackets are empty', { start, end })
        node = { kind: 'index', of: node, indices, start, end }
      } else if (this.#isMark('@')) node = this.#lane(node)
      else return node
    }
  }

  #lane(of: Node): Node {
    const at = this.#take()
    if (this.#isMark('*')) return { kind: 'lane', of, start: of.start, end: this.#take().end }
    if (this.#next.kind === 'end') {
      fail('source-syntax', 'a lane is expected behind @', at, 'write its number, as in x@17, or x@* for all lanes')
    }
    const lane = this.#primary()
    return { kind: 'lane', of, lane, start: of.start, end: lane.end }
  }

  /** Expressions with commas between them, behind the opening bracket, which is taken. */
  #list(close: string): readonly Node[] {
    this.#take()
    const nodes: Node[] = []
    if (this.#isMark(close)) return nodes
    nodes.push(this.expression())
    while (this.#isMark(',')) {
      this.#take()
      nodes.push(this.expression())
    }
    return nodes
  }

  #primary(): Node {
    const token = this.#take()
    const span: Span = { start: token.start, end: token.end }
    if (token.kind === 'number') return { kind: 'literal', scalar: token.scalar, words: token.words, ...span }
    if (token.kind === 'name') return this.#named(token.text, span)
    if (token.kind === 'mark' && token.text === '(') {
      const inner = this.expression()
      this.#expect(')', 'to close the bracket')
      return inner
    }
    if (token.kind === 'end') fail('source-syntax', 'the expression ends where a value is expected', token)
    return fail('source-syntax', `'${token.text}' stands where a value is expected`, token)
  }

  #named(name: string, span: Span): Node {
    if (name === 'true' || name === 'false') {
      return { kind: 'literal', scalar: 'bool', words: [name === 'true' ? -1 : 0], ...span }
    }
    if (!this.#isMark('(')) return { kind: 'name', name, ...span }
    const list = this.#list(')')
    const { end } = this.#expect(')', 'behind the arguments')
    const type = namedType(name)
    return type === undefined
      ? { kind: 'call', name, arguments: list, start: span.start, end }
      : { kind: 'construct', type, arguments: list, start: span.start, end }
  }

  format(): ValueFormat | undefined {
    if (!this.#isMark(',')) return undefined
    this.#take()
    const word = this.#take()
    if (word.kind === 'name' && word.text in FORMATS) return word.text as ValueFormat
    const known = Object.entries(FORMATS).map(([letter, what]) => `,${letter} ${what}`)
    return fail('source-syntax', 'this is no format', word, `formats are ${known.join('; ')}`)
  }

  end(): void {
    const token = this.#next
    if (token.kind === 'end') return
    const text = 'text' in token ? token.text : 'a number'
    const notes = token.kind === 'name' ? didYouMean(text, ['@', '.']) : []
    fail('source-syntax', `'${text}' stands behind the end of the expression`, token, ...notes)
  }
}

/** Reads an expression of a watch or a condition. Names are looked up when it is evaluated. */
export function parseExpression(text: string): Outcome<Expression> {
  const found = guarded(text, (): Expression => {
    if (text.length > MAX_LENGTH) {
      fail('source-syntax', `an expression of ${text.length} characters is too long`, { start: 0, end: 1 })
    }
    const parser = new Parser(tokensOf(text))
    const root = parser.expression()
    const format = parser.format()
    parser.end()
    return format === undefined ? { text, root } : { text, root, format }
  })
  return 'fault' in found ? failure([found.fault]) : outcomeOf(found.value)
}
