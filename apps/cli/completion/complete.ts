/** What may stand at the end of a command line, from the definitions that the help is printed from. */
import type { Command, Option } from 'commander'
import { ARGUMENT_VALUES, type Candidate, type Values, valuesOfOption } from './values.ts'

const shown = (text: string): { description?: string } => (text === '' ? {} : { description: text })

const isHelp = (flag: string): boolean => flag === '-h' || flag === '--help'

function optionNamed(command: Command, word: string): Option | undefined {
  return command.options.find((o) => o.long === word || o.short === word)
}

const takesValue = (o: Option | undefined): o is Option => o?.required === true

/** Options that are not given yet, or may be given again. */
function optionsOf(command: Command, words: readonly string[]): Candidate[] {
  const given = new Set(words.map((w) => w.split('=', 1)[0]))
  const open = command.options.filter((o) => {
    const isGiven = given.has(o.long) || (o.short !== undefined && given.has(o.short))
    return !o.hidden && (!isGiven || Array.isArray(o.defaultValue))
  })
  const own = open.map((o) => ({ word: o.long ?? o.short ?? '', ...shown(o.description) }))
  return [...own, { word: '--help', description: 'display help for command' }]
}

function verbsOf(program: Command): Candidate[] {
  const verbs = program.commands.map((c) => ({ word: c.name(), ...shown(c.summary()) }))
  return [...verbs, { word: 'help', description: 'display help for command' }]
}

/** The verb of a line, and where it stands. */
function verbIn(program: Command, words: readonly string[]): { command?: Command; at: number } {
  const at = words.findIndex((w, i) => i > 0 && !w.startsWith('-'))
  const command = program.commands.find((c) => c.name() === words[at])
  return { ...(command === undefined ? {} : { command }), at }
}

async function valuesIn(command: Command, words: readonly string[]): Promise<Values> {
  const typed = words.at(-1)!
  const argumentsAlone = words.slice(0, -1).includes('--')
  if (!argumentsAlone) {
    const [, name, value] = /^(--[\w-]+)=(.*)$/s.exec(typed) ?? []
    const named = name === undefined ? undefined : optionNamed(command, name)
    if (named !== undefined && value !== undefined) {
      const { words: found = [], ...others } = await valuesOfOption(named, value)
      return { ...others, words: found.map((c) => ({ ...c, word: `${name}=${c.word}` })) }
    }
    const before = optionNamed(command, words.at(-2) ?? '')
    if (takesValue(before)) return valuesOfOption(before, typed)
    if (typed.startsWith('-')) return { words: optionsOf(command, words.slice(0, -1)) }
  }
  return (await ARGUMENT_VALUES[command.name()]?.(typed)) ?? {}
}

/** What may stand in place of the last word. Words that do not begin as it does are left out. */
export async function complete(program: Command, words: readonly string[]): Promise<Values> {
  const typed = words.at(-1)!
  const { command, at } = verbIn(program, words.slice(0, -1))
  let values: Values
  if (at < 0 || words[at] === 'help') {
    const options = ['-V', '--version', '-h', '--help'].map((word) => ({
      word,
      description: isHelp(word) ? 'display help' : 'print the version',
    }))
    values = { words: typed.startsWith('-') && at < 0 ? options : verbsOf(program) }
  } else values = command === undefined ? {} : await valuesIn(command, words.slice(at))
  const found = values.words?.filter((c) => c.word.startsWith(typed)) ?? []
  return { ...values, words: found }
}
