/** The value of an expression for a lane at a moment: every operator is computed by the meanings of instructions. */
import { didYouMean, failure, type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import type { HlslOperation } from '../../isa/index.ts'
import type { ScalarType } from '../type.ts'
import {
  arithmeticType,
  type Component,
  type ComputedValue,
  commonType,
  componentCount,
  componentsOf,
  computed,
  convert,
  type ExpressionValue,
  negate,
  shapeText,
  truthOf,
} from './computed.ts'
import { fail, guarded } from './fault.ts'
import { call, componentwise, FUNCTION_NAMES, intrinsic, parameterCount, truth } from './functions.ts'
import { type ExpressionContext, type NamedRegister, resolveName } from './names.ts'
import { element, load, loadRegister, member } from './read.ts'
import { type BinaryOperator, type Expression, innerNodes, type Node, type Span } from './tree.ts'

/** What expressions are evaluated with: the lane of the moment, and the lane that `@*` stands for inside a function of all lanes. */
interface Scope extends ExpressionContext {
  readonly everyLane?: number
}

/** A value, or a register that waits for its indices. */
type Found = ExpressionValue | NamedRegister

/** Functions that join the values of all lanes two by two. */
const JOINING: Readonly<Record<string, HlslOperation>> = { min: 'min', max: 'max', sum: 'add' }

/** Functions that make one value of those of all lanes. */
const OF_LANES: ReadonlySet<string> = new Set([...Object.keys(JOINING), 'any', 'all', 'count'])

function completed(p: Found, s: Scope, span: Span): ExpressionValue {
  if (p.kind !== 'register') return p
  if (p.indices.length >= p.least) return loadRegister(p.file, p.indices, s, span)
  const name = p.file.prefix + p.indices.join('')
  return fail(
    'source-type',
    `${name} takes ${p.least === 1 ? 'a number' : 'an index'}`,
    span,
    `write ${p.file.prefix}0${p.least > 1 ? '[0]' : ''}`,
  )
}

function evaluate(node: Node, s: Scope): ExpressionValue {
  return completed(partial(node, s), s, node)
}

/** A scalar, vector or matrix to compute with, all of it available; fails for structures, arrays and resources. */
function number(node: Node, s: Scope): ComputedValue {
  const value = evaluate(node, s)
  if (value.kind === 'computed') {
    componentsOf(value, node)
    return value
  }
  const { type, path } = value.value
  const hint = type.kind === 'structure' ? 'name a member' : 'give an index in brackets'
  return fail('source-type', `${path} is no number`, node, hint)
}

/** A whole number, as an index or a lane has to be. */
function whole(node: Node, s: Scope): number {
  const value = number(node, s)
  if (componentCount(value) !== 1) fail('source-type', 'one number is expected here', node)
  const [word] = convert(s.operations, componentsOf(value, node)[0]!, value.scalar, 'int')
  return word! | 0
}

function indexNumbers(nodes: readonly Node[], s: Scope): readonly number[] {
  return nodes.flatMap((node) => {
    const value = number(node, s)
    return componentsOf(value, node).map((c) => convert(s.operations, c, value.scalar, 'int')[0]! | 0)
  })
}

function indexed(node: Extract<Node, { kind: 'index' }>, s: Scope): Found {
  const of = partial(node.of, s)
  if (of.kind === 'register' && of.indices.length < of.most) {
    return { ...of, indices: [...of.indices, ...indexNumbers(node.indices, s)].slice(0, of.most) }
  }
  return element(completed(of, s, node.of), indexNumbers(node.indices, s), s, node)
}

/** What lane a value is read for; it may stand at another statement, where variables are elsewhere. */
function atLane(s: Scope, lane: number, span: Span): Scope {
  if (!s.state.lanes().includes(lane)) {
    const lanes = s.state.lanes()
    const note = lanes.length === 0 ? 'there are no lanes' : `lanes are ${lanes[0]} to ${lanes.at(-1)}`
    fail('source-lanes', `there is no lane ${lane}`, span, note)
  }
  if (lane === s.lane || s.state.statementOf === undefined) return { ...s, lane }
  const statement = s.state.statementOf(lane)
  if (statement === undefined) fail('source-unavailable', `lane ${lane} executes nothing any more`, span)
  return { ...s, lane, statement, ...(statement === s.statement ? {} : { frame: 0 }) }
}

function laneValue(node: Extract<Node, { kind: 'lane' }>, s: Scope): ExpressionValue {
  if (node.lane !== undefined) return evaluate(node.of, atLane(s, whole(node.lane, s), node.lane))
  if (s.everyLane === undefined) {
    fail(
      'source-lanes',
      'all lanes give many values',
      node,
      'put them into min, max, sum, any, all or count, as in min(x@*)',
    )
  }
  return evaluate(node.of, atLane(s, s.everyLane, node))
}

function hasEveryLane(node: Node): boolean {
  if (node.kind === 'lane') return node.lane === undefined || hasEveryLane(node.of)
  return !(node.kind === 'call' && isOfLanes(node)) && innerNodes(node).some(hasEveryLane)
}

function isOfLanes(node: Extract<Node, { kind: 'call' }>): boolean {
  return OF_LANES.has(node.name) && node.arguments.length === 1 && hasEveryLane(node.arguments[0]!)
}

const bool = (word: number): ComputedValue => computed('bool', 1, 1, [[word]])

/** The value for every lane that has one; lanes where it is not available are left out. */
function overLanes(node: Node, s: Scope): readonly ComputedValue[] {
  return s.state.lanes().flatMap((lane) => {
    const found = guarded('', () => {
      return number(node, { ...s, everyLane: lane })
    })
    if ('value' in found) return [found.value]
    if (found.fault.code === 'source-unavailable') return []
    // Anything else is wrong with the expression itself: said again, where it is caught with its text.
    number(node, { ...s, everyLane: lane })
    return []
  })
}

function ofLanes(node: Extract<Node, { kind: 'call' }>, s: Scope): ComputedValue {
  const o = s.operations
  const inner = node.arguments[0]!
  const values = overLanes(inner, s)
  if (node.name === 'count') {
    const count = values.filter((v) => truth(o, v, 'any', inner) !== 0).length
    return computed('uint', 1, 1, [[count]])
  }
  if (values.length === 0) fail('source-unavailable', 'no lane has this value here', inner)
  if (node.name === 'any' || node.name === 'all') {
    const words = values.map((v) => truth(o, v, node.name === 'any' ? 'any' : 'all', inner))
    return bool(words.reduce((a, b) => (node.name === 'any' ? o.or(a, b) : o.and(a, b))))
  }
  return values.reduce((a, b) => componentwise(o, JOINING[node.name]!, [a, b], node))
}

function called(node: Extract<Node, { kind: 'call' }>, s: Scope): ComputedValue {
  if (isOfLanes(node)) return ofLanes(node, s)
  const parameters = parameterCount(node.name)
  if (parameters === undefined) {
    const known = [...FUNCTION_NAMES, ...OF_LANES]
    return fail(
      'source-name',
      `there is no function ${node.name} in expressions`,
      node,
      ...didYouMean(node.name, known),
    )
  }
  if (node.arguments.length !== parameters) {
    const text = `${node.name} takes ${parameters} ${parameters === 1 ? 'argument' : 'arguments'}, not ${node.arguments.length}`
    fail('source-type', text, node)
  }
  return call(
    s.operations,
    node.name,
    node.arguments.map((a) => number(a, s)),
    node,
  )
}

/** `float3(a, b.xy)`: components of all arguments one after the other; one scalar stands for all. */
function constructed(node: Extract<Node, { kind: 'construct' }>, s: Scope): ComputedValue {
  const { scalar, rows, columns } = node.type
  const parts: readonly Component[] = node.arguments.flatMap((a) => {
    const value = number(a, s)
    return componentsOf(value, a).map((c) => convert(s.operations, c, value.scalar, scalar))
  })
  const count = rows * columns
  if (parts.length === 1)
    return computed(
      scalar,
      rows,
      columns,
      Array.from({ length: count }, () => parts[0]!),
    )
  if (parts.length !== count) {
    fail('source-type', `${count} components are expected here, and there are ${parts.length}`, node)
  }
  return computed(scalar, rows, columns, parts)
}

function cast(node: Extract<Node, { kind: 'cast' }>, s: Scope): ComputedValue {
  const value = number(node.of, s)
  const { scalar, rows, columns } = node.type
  const own = componentsOf(value, node.of).map((c) => convert(s.operations, c, value.scalar, scalar))
  const count = rows * columns
  if (own.length === 1)
    return computed(
      scalar,
      rows,
      columns,
      Array.from({ length: count }, () => own[0]!),
    )
  const fits =
    value.rows === 1 && rows === 1 ? columns <= value.columns : rows <= value.rows && columns <= value.columns
  if (!fits) fail('source-type', `${shapeText(value)} has too few components for this cast`, node)
  const kept = Array.from({ length: count }, (_, i) => own[Math.floor(i / columns) * value.columns + (i % columns)]!)
  return computed(scalar, rows, columns, kept)
}

type Rewritten = readonly [name: 'less' | 'greaterEqual' | 'equal' | 'notEqual', swapped: boolean]

/** Instructions compare with < and >=; the others are these with their operands swapped. */
const COMPARISONS: Readonly<Partial<Record<BinaryOperator, Rewritten>>> = {
  '<': ['less', false],
  '>': ['less', true],
  '>=': ['greaterEqual', false],
  '<=': ['greaterEqual', true],
  '==': ['equal', false],
  '!=': ['notEqual', false],
}

const BITS = { '&': 'and', '|': 'or', '^': 'xor' } as const

/** Integers alone have bits; both operands have to be. */
function checkWhole(values: readonly ComputedValue[], operator: string, span: Span): void {
  if (values.every((v) => ['int', 'uint'].includes(arithmeticType(v.scalar)))) return
  fail(
    'source-type',
    `${operator} takes integers`,
    span,
    'take the bits of a float with asuint, or convert it with (int)',
  )
}

function logic(node: Extract<Node, { kind: 'binary' }>, s: Scope): ComputedValue {
  const o = s.operations
  const isAnd = node.operator === '&&'
  const truths = (of: Node): ComputedValue => {
    const value = number(of, s)
    const words = componentsOf(value, of).map((c) => [truthOf(o, value.scalar, c)])
    return computed('bool', value.rows, value.columns, words)
  }
  const left = truths(node.left)
  // The right side may only be there where the left holds: i < 4 && a[i] > 0.
  if (componentCount(left) === 1 && (left.words[0] !== 0) !== isAnd) return left
  const both = componentwise(o, isAnd ? 'min' : 'max', [left, truths(node.right)], node)
  return computed(
    'bool',
    both.rows,
    both.columns,
    componentsOf(both, node).map((c) => [truthOf(o, 'int', c)]),
  )
}

function binary(node: Extract<Node, { kind: 'binary' }>, s: Scope): ComputedValue {
  const { operator } = node
  const o = s.operations
  if (operator === '&&' || operator === '||') return logic(node, s)
  const values = [number(node.left, s), number(node.right, s)]
  const comparison = COMPARISONS[operator]
  if (comparison !== undefined) {
    const [name, swapped] = comparison
    return componentwise(o, name, swapped ? [values[1]!, values[0]!] : values, node, 'bool')
  }
  switch (operator) {
    case '+':
      return componentwise(o, 'add', values, node)
    case '-':
      return componentwise(o, 'add', [values[0]!, negated(values[1]!, s, node, values[0]!.scalar)], node)
    case '*':
      return componentwise(o, 'multiply', values, node)
    case '/':
    case '%':
      return divided(operator, values, s, node)
    case '<<':
    case '>>':
      checkWhole(values, operator, node)
      return shifted(operator, values, s, node)
    default:
      checkWhole(values, operator, node)
      return componentwise(o, BITS[operator as keyof typeof BITS], values, node)
  }
}

/** The value with its sign changed, in the type that it has beside another; uint keeps its type, as in HLSL. */
function negated(v: ComputedValue, s: Scope, span: Span, beside: ScalarType = v.scalar): ComputedValue {
  const scalar = commonType(v.scalar, beside)
  const components = componentsOf(v, span).map((c) =>
    negate(s.operations, arithmeticType(scalar), convert(s.operations, c, v.scalar, scalar)),
  )
  return computed(scalar, v.rows, v.columns, components)
}

function divided(operator: '/' | '%', values: readonly ComputedValue[], s: Scope, span: Span): ComputedValue {
  const types = values.map((v) => arithmeticType(v.scalar))
  const isOneInstruction =
    operator === '/' ? !types.every((t) => t === 'int') : types.includes('uint') && !types.includes('float')
  if (operator === '%' && types.includes('double')) fail('source-type', '% of doubles does not exist', span)
  if (!isOneInstruction) return intrinsic(s.operations, operator, values, span)
  return componentwise(s.operations, operator === '/' ? 'divide' : 'remainder', values, span)
}

/** The type of a shift is that of its left side. */
function shifted(operator: '<<' | '>>', values: readonly ComputedValue[], s: Scope, span: Span): ComputedValue {
  const [left, right] = values as [ComputedValue, ComputedValue]
  const count = { ...right, scalar: left.scalar }
  return componentwise(s.operations, operator === '<<' ? 'shiftLeft' : 'shiftRight', [left, count], span)
}

function unary(node: Extract<Node, { kind: 'unary' }>, s: Scope): ComputedValue {
  const value = number(node.of, s)
  const o = s.operations
  switch (node.operator) {
    case '+':
      return value
    case '-':
      return negated(value, s, node)
    case '~':
      checkWhole([value], '~', node)
      return componentwise(o, 'not', [value], node)
    case '!': {
      const words = componentsOf(value, node).map((c) => [o.not(truthOf(o, value.scalar, c))])
      return computed('bool', value.rows, value.columns, words)
    }
  }
}

function choice(node: Extract<Node, { kind: 'choice' }>, s: Scope): ExpressionValue {
  const condition = number(node.condition, s)
  if (componentCount(condition) !== 1) {
    fail('source-type', 'the condition of ?: is one value', node.condition, 'make one of a vector with any or all')
  }
  return evaluate(truth(s.operations, condition, 'any', node.condition) !== 0 ? node.yes : node.no, s)
}

function partial(node: Node, s: Scope): Found {
  switch (node.kind) {
    case 'literal':
      return computed(node.scalar, 1, 1, [node.words])
    case 'name': {
      const named = resolveName(node.name, s, node)
      return named.kind === 'register' ? named : load(named.variable, s)
    }
    case 'member':
      return member(evaluate(node.of, s), node.name, s, node)
    case 'index':
      return indexed(node, s)
    case 'unary':
      return unary(node, s)
    case 'binary':
      return binary(node, s)
    case 'choice':
      return choice(node, s)
    case 'cast':
      return cast(node, s)
    case 'call':
      return called(node, s)
    case 'construct':
      return constructed(node, s)
    case 'lane':
      return laneValue(node, s)
  }
}

/**
 * The value of an expression. A variable or register that is read and not computed with may have words that are not
 * available (undefined); to compute with such a word is an error.
 */
export function evaluateExpression(expression: Expression, context: ExpressionContext): Outcome<ExpressionValue> {
  const found = guarded(expression.text, () => evaluate(expression.root, context))
  return 'fault' in found ? failure([found.fault]) : outcomeOf(found.value)
}

/** Whether a condition holds: any component that is not zero. */
export function evaluateCondition(expression: Expression, context: ExpressionContext): Outcome<boolean> {
  const found = guarded(
    expression.text,
    () => truth(context.operations, number(expression.root, context), 'any', expression.root) !== 0,
  )
  return 'fault' in found ? failure([found.fault]) : outcomeOf(found.value)
}
