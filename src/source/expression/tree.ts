import type { ScalarType } from '../type.ts'

/** A place in the text of an expression, from 0. */
export interface Span {
  readonly start: number
  readonly end: number
}

type UnaryOperator = '-' | '+' | '!' | '~'
export type BinaryOperator =
  | '*'
  | '/'
  | '%'
  | '+'
  | '-'
  | '<<'
  | '>>'
  | '<'
  | '<='
  | '>'
  | '>='
  | '=='
  | '!='
  | '&'
  | '^'
  | '|'
  | '&&'
  | '||'

/** A type that a cast or a constructor names. */
export interface NamedType {
  readonly scalar: ScalarType
  readonly rows: number
  readonly columns: number
}

/** How a value is printed: the suffix behind a comma. */
export type ValueFormat = 'x' | 'd' | 'u' | 'f' | 'b' | 'o' | 'h' | 'c'

export type Node = Span &
  (
    | { readonly kind: 'literal'; readonly scalar: ScalarType; readonly words: readonly number[] }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'member'; readonly of: Node; readonly name: string }
    | { readonly kind: 'index'; readonly of: Node; readonly indices: readonly Node[] }
    | { readonly kind: 'unary'; readonly operator: UnaryOperator; readonly of: Node }
    | { readonly kind: 'binary'; readonly operator: BinaryOperator; readonly left: Node; readonly right: Node }
    | { readonly kind: 'choice'; readonly condition: Node; readonly yes: Node; readonly no: Node }
    | { readonly kind: 'cast'; readonly type: NamedType; readonly of: Node }
    | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Node[] }
    | { readonly kind: 'construct'; readonly type: NamedType; readonly arguments: readonly Node[] }
    /** `acc@17`; without a lane `acc@*`, all of them. */
    | { readonly kind: 'lane'; readonly of: Node; readonly lane?: Node }
  )

/** An expression that has been read. */
export interface Expression {
  readonly text: string
  readonly root: Node
  readonly format?: ValueFormat
}

/** The nodes that a node is made of. */
export function innerNodes(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'literal':
    case 'name':
      return []
    case 'member':
    case 'unary':
    case 'cast':
      return [node.of]
    case 'index':
      return [node.of, ...node.indices]
    case 'binary':
      return [node.left, node.right]
    case 'choice':
      return [node.condition, node.yes, node.no]
    case 'call':
    case 'construct':
      return node.arguments
    case 'lane':
      return node.lane === undefined ? [node.of] : [node.of, node.lane]
  }
}
