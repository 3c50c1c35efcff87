/** The manual page of the command line, from the definitions that the help is printed from. */
import { type Command, Help, type Option } from 'commander'
import { buildCli } from '../apps/cli/index.ts'
import { VERSION } from '../src/version.ts'

/** Text for roff: a backslash, a dash that can be typed, and no line that begins as a request does. */
const roff = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')

/** Words between backticks in bold. */
const prose = (text: string): string => roff(text).replace(/`([^`]+)`/g, '\\fB$1\\fR')

const help = new Help()

/** Flags in bold, what stands for a value in italics. */
const flagText = (flags: string): string =>
  flags
    .split(/(<[^>]*>|\[[^\]]*\])/)
    .map((part) => (/^[<[]/.test(part) ? `\\fI${roff(part)}\\fR` : part.trim() === '' ? part : `\\fB${roff(part)}\\fR`))
    .join('')

/** A term with what it means behind it. */
const entry = (term: string, text: string): string => `.TP\n${term}\n${prose(text)}\n`

const optionText = (command: Command, o: Option): string =>
  entry(flagText(o.flags), command.configureHelp().optionDescription?.(o) ?? help.optionDescription(o))

/** What stands behind the options in the help: examples, exit codes. Lines keep their form. */
function furtherText(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (s) => (text += s) }).outputHelp()
  const behind = text.slice(text.lastIndexOf('display help for command') + 'display help for command'.length).trim()
  return behind === '' ? '' : `.PP\n.nf\n${roff(behind)}\n.fi\n`
}

/** Options that every verb has. */
const EVERYWHERE = ['--color', '--no-color']

function verbText(command: Command): string {
  const words = command.registeredArguments.map((a) => {
    const name = `${a.name()}${a.variadic ? '...' : ''}`
    return `\\fI${roff(a.required ? name : `[${name}]`)}\\fR`
  })
  const usage = [`\\fBheddle ${roff(command.name())}\\fR`, '[\\fIoptions\\fR]', ...words].join(' ')
  const terms = command.registeredArguments.map((a) => entry(`\\fI${roff(a.name())}\\fR`, a.description))
  const own = command.options.filter((o) => !o.hidden && !EVERYWHERE.includes(o.long ?? ''))
  const options = own.map((o) => optionText(command, o))
  return `.SS ${usage}\n${prose(command.description())}\n${terms.join('')}${options.join('')}${furtherText(command)}`
}

export function renderManPage(): string {
  const program = buildCli()
  const verbs = program.commands
  const common = verbs[0]!.options.filter((o) => EVERYWHERE.includes(o.long ?? ''))
  return [
    `.TH HEDDLE 1 "" "heddle ${VERSION}" "User Commands"\n`,
    `.SH NAME\nheddle \\- Direct3D shaders without Direct3D\n`,
    `.SH SYNOPSIS\n\\fBheddle\\fR \\fIverb\\fR [\\fIoptions\\fR] \\fIfiles\\fR...\n`,
    `.SH DESCRIPTION\n${prose(program.description())}\n`,
    `.PP\nMost verbs take many files, folders, patterns in quotes, and \\fB\\-\\fR for standard input.\n`,
    `.SH VERBS\n${verbs.map((c) => entry(`\\fB${roff(c.name())}\\fR`, c.summary())).join('')}`,
    `.SH OPTIONS\n${common.map((o) => optionText(verbs[0]!, o)).join('')}`,
    entry('\\fB\\-h, \\-\\-help\\fR', 'display help for the command or the verb'),
    entry('\\fB\\-V, \\-\\-version\\fR', 'print the version'),
    `.SH THE VERBS\n${verbs.map(verbText).join('')}`,
    `.SH EXIT STATUS\n${entry('0', 'all is well')}${entry('1', 'something was found, or is not as expected')}`,
    entry('2', 'the command could not be understood, or the input not be read'),
    `.SH ENVIRONMENT\n${entry('\\fBHEDDLE_HLSL_COMPILER\\fR', 'the command that compiles .hlsl files, as --hlsl-compiler gives it')}`,
    entry('\\fBHEDDLE_TUNE\\fR', '1: as --tune'),
    entry('\\fBFORCE_COLOR\\fR, \\fBNO_COLOR\\fR', '1: as --color, --no-color'),
  ].join('')
}
