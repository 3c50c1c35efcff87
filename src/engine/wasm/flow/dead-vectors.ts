/**
 * Vectors that nothing reads any more are overwritten at the ends of iterations and of arms. V8 merges every local that was
 * written, read later or not; a merge is a use outside of what its revectorization packs, and some of them outweigh all that
 * packing saves. Optimized code has nothing of the zeros written here.
 */

/** What happens to locals, in order; structures with their arms. */
export type Trace = (Access | Structure)[]
export interface Access {
  readonly kind: 'get' | 'set'
  readonly local: number
}
export interface Structure {
  readonly kind: 'block' | 'loop' | 'if'
  /** What is inside, and where in the code the end of each arm is: one for blocks and loops, one or two for an if. */
  readonly arms: { readonly trace: Trace; end: number }[]
  /** Where the code goes back to the start of a loop. */
  readonly iterationEnds: number[]
}

/** Zeros to be written at a place of the code. */
export interface Zeros {
  readonly at: number
  readonly locals: readonly number[]
}

/** What comes first: a read of what was there before, a write, or a write that some ways pass by. */
type First = 'get' | 'set' | 'maybe'
type Firsts = Map<number, First>

/** `first`, and then what is known of what follows. */
function inOrder(first: First | undefined, then: First | undefined): First | undefined {
  if (first === undefined) return then
  return first === 'maybe' && then !== undefined ? then : first
}

class DeadVectors {
  readonly zeros: Zeros[] = []
  readonly #firsts = new Map<Structure, Firsts>()

  #firstsOf(structure: Structure): Firsts {
    let firsts = this.#firsts.get(structure)
    if (firsts !== undefined) return firsts
    const arms = structure.arms.map((a) => this.#firstsIn(a.trace))
    if (structure.kind === 'if') firsts = either(arms[0]!, arms[1] ?? new Map())
    else firsts = arms[0]!
    this.#firsts.set(structure, firsts)
    return firsts
  }

  #firstsIn(trace: Trace): Firsts {
    const firsts: Firsts = new Map()
    for (const item of trace) {
      if ('local' in item) {
        const known = inOrder(firsts.get(item.local), item.kind)
        firsts.set(item.local, known!)
      } else for (const [local, first] of this.#firstsOf(item)) firsts.set(local, inOrder(firsts.get(local), first)!)
    }
    return firsts
  }

  /**
   * Visits a trace from its end; `after` returns what comes first after it. Where branches may leave for its end (`leaves`),
   * what follows inside may be passed by.
   */
  walk(trace: Trace, after: (local: number) => First | undefined, leaves = false): void {
    const next: Firsts = new Map()
    for (let i = trace.length - 1; i >= 0; i--) {
      const item = trace[i]!
      if ('local' in item) next.set(item.local, item.kind)
      else {
        this.#structure(item, (local) => {
          const past = after(local)
          return leaves && past === 'get' ? past : inOrder(next.get(local), past)
        })
        for (const [local, first] of this.#firstsOf(item)) next.set(local, inOrder(first, next.get(local))!)
      }
    }
  }

  #structure(structure: Structure, after: (local: number) => First | undefined): void {
    if (structure.kind === 'loop') {
      const firsts = this.#firstsOf(structure)
      const dead = [...firsts].filter(([, first]) => first !== 'get').map(([local]) => local)
      for (const at of structure.iterationEnds) this.zeros.push({ at, locals: dead })
      this.walk(structure.arms[0]!.trace, (local) =>
        firsts.get(local) !== 'get' && after(local) !== 'get' ? 'set' : 'get',
      )
      return
    }
    for (const { trace, end } of structure.arms) {
      this.walk(trace, after, structure.kind === 'block')
      const dead = [...this.#firstsIn(trace)].filter(([l, first]) => first !== 'get' && after(l) !== 'get')
      this.zeros.push({ at: end, locals: dead.map(([local]) => local) })
    }
  }
}

function either(a: Firsts, b: Firsts): Firsts {
  const firsts: Firsts = new Map()
  for (const local of new Set([...a.keys(), ...b.keys()])) {
    const [x, y] = [a.get(local), b.get(local)]
    firsts.set(local, x === 'get' || y === 'get' ? 'get' : x === 'set' && y === 'set' ? 'set' : 'maybe')
  }
  return firsts
}

/** Where vectors are to be overwritten, in the order of the code. */
export function deadVectors(trace: Trace): Zeros[] {
  const dead = new DeadVectors()
  dead.walk(trace, () => undefined)
  return dead.zeros.filter((z) => z.locals.length > 0).sort((a, b) => a.at - b.at)
}
