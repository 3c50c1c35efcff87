import { Command, Option } from 'commander'
import { VERSION } from '../version.ts'

/** Options of verbs that write one result for each input. */
function withOutput(command: Command, what: string): Command {
  return command
    .addOption(
      new Option('-o, --output <file>', `write ${what} to this file (- for standard output)`).conflicts('outDir'),
    )
    .option('--out-dir <folder>', `write ${what} of each input into this folder`)
}

function addDis(program: Command): void {
  const dis = program
    .command('dis')
    .summary('list a shader as fxc does')
    .description(
      'Lists compiled shaders (DXBC) as assembly: what `fxc /dumpbin` prints, or a text that keeps every byte.',
    )
    .argument('<files...>', 'compiled shaders, - for standard input')
    .addOption(new Option('-d, --dialect <name>', 'text to print').choices(['fxc', 'lossless']).default('fxc'))
    .option('-n, --numbers', 'number the instructions (fxc /Ni)')
    .option('--offsets', 'print byte offsets (fxc /No)')
    .option('-x, --hex-literals', 'print literals in hexadecimal (fxc /Lx)')
    .addOption(
      new Option('--float-digits <how>', 'digits of large floats: all of them, or 17 as older Windows runtimes print')
        .choices(['exact', '17'])
        .default('exact'),
    )
  withOutput(dis, 'the listing').action(async (files, options) => (await import('./verbs/dis.ts')).dis(files, options))
}

function addAsm(program: Command): void {
  const asm = program
    .command('asm')
    .summary('assemble a listing')
    .description(
      'Assembles text in the dialect fxc or lossless to compiled shaders, with recomputed statistics, signed.',
    )
    .argument('<files...>', 'assembly texts, - for standard input')
    .option('-b, --base <shader>', 'take everything but the code from this compiled shader')
    .option('--strip', 'leave out reflection and debug chunks')
  withOutput(asm, 'the shader').action(async (files, options) => (await import('./verbs/asm.ts')).asm(files, options))
}

function addReaders(program: Command): void {
  program
    .command('info')
    .summary('show what a shader declares')
    .description('Shows reflection: bindings, constant buffer layouts, signatures, statistics, chunks.')
    .argument('<files...>', 'compiled shaders, - for standard input')
    .option('--json', 'print JSON')
    .action(async (files, options) => (await import('./verbs/info.ts')).info(files, options))
  program
    .command('validate')
    .summary('check a shader against the rules of Direct3D')
    .description('Checks containers and programs. Exit code 1 when an error was found.')
    .argument('<files...>', 'compiled shaders or assembly texts, - for standard input')
    .option('--json', 'print JSON')
    .option('-q, --quiet', 'print nothing for shaders that are fine')
    .action(async (files, options) => (await import('./verbs/validate.ts')).validateFiles(files, options))
  program
    .command('hash')
    .summary('print checksum and hashes of a shader')
    .description('Prints the embedded checksum and the FNV-1 64 hashes by which mod tools name shader files.')
    .argument('<files...>', 'compiled shaders, - for standard input')
    .option('--json', 'print JSON')
    .action(async (files, options) => (await import('./verbs/hash.ts')).hash(files, options))
  program
    .command('explain')
    .summary('explain a diagnostic code')
    .argument('[codes...]', 'codes such as dxbc-checksum; none lists them all')
    .action(async (codes) => (await import('./verbs/explain.ts')).explain(codes))
}

/** The whole command line; parsing it runs a verb. */
export function buildCli(): Command {
  const program = new Command('heddle')
    .description(
      'Direct3D shaders without Direct3D: list, assemble, validate, run and check DXBC (Shader Model 4.0 to 5.1).',
    )
    .version(VERSION, '-V, --version')
    .exitOverride()
    .showHelpAfterError('(heddle --help shows the verbs, heddle VERB --help their options)')
    .showSuggestionAfterError()
  addDis(program)
  addAsm(program)
  addReaders(program)
  for (const command of program.commands) command.exitOverride().showHelpAfterError(`(heddle ${command.name()} --help)`)
  return program
}
