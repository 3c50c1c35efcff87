import { Command, Help, Option } from 'commander'
import { VERSION } from '../../src/version.ts'
import { chooseColors } from './terminal.ts'

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
    .argument('<files...>', 'compiled shaders, folders, quoted patterns, - for standard input')
    .addOption(new Option('-d, --dialect <name>', 'text to print').choices(['fxc', 'lossless']).default('fxc'))
    .option('-n, --numbers', 'number the instructions (fxc /Ni)')
    .option('--offsets', 'print byte offsets (fxc /No)')
    .option('-x, --hex-literals', 'print literals in hexadecimal (fxc /Lx)')
    .addOption(
      new Option('--float-digits <how>', 'digits of large floats: all of them, or 17 as older Windows runtimes print')
        .choices(['exact', '17'])
        .default('exact'),
    )
    .option('--json', 'print JSON: the listing and what was found, of each file')
  withOutput(dis, 'the listing').action(async (files, options) => (await import('./verbs/dis.ts')).dis(files, options))
}

function addAsm(program: Command): void {
  const asm = program
    .command('asm')
    .summary('assemble a listing')
    .description(
      'Assembles text in the dialect fxc or lossless to compiled shaders, with recomputed statistics, signed.',
    )
    .argument('<files...>', 'assembly texts, folders, quoted patterns, - for standard input')
    .option('-b, --base <shader>', 'take everything but the code from this compiled shader')
    .addOption(new Option('--recover-literals', 'the default with --base').hideHelp())
    .option(
      '--no-recover-literals',
      'take literals as they read, also where those of the base that read so have more bits',
    )
    .option('--strip', 'leave out reflection and debug chunks')
    .option('--no-validate', 'do not check the shader against the rules of Direct3D')
    .option('--all-warnings', 'print every warning, not the first few of each kind')
    .option('--json', 'print JSON: what was found; without an output file also the shader, in base64')
  withOutput(asm, 'the shader').action(async (files, options) => (await import('./verbs/asm.ts')).asm(files, options))
}

function addReaders(program: Command): void {
  program
    .command('info')
    .summary('show what a shader declares')
    .description('Shows reflection: bindings, constant buffer layouts, signatures, statistics, chunks.')
    .argument('<files...>', 'compiled shaders, folders, quoted patterns, - for standard input')
    .option('--json', 'print JSON')
    .action(async (files, options) => (await import('./verbs/info.ts')).info(files, options))
  program
    .command('validate')
    .summary('check a shader against the rules of Direct3D')
    .description('Checks containers and programs. Exit code 1 when an error was found.')
    .argument('<files...>', 'compiled shaders or assembly texts, folders, quoted patterns, - for standard input')
    .option('--json', 'print JSON')
    .option('-q, --quiet', 'print nothing for shaders that are fine')
    .action(async (files, options) => (await import('./verbs/validate.ts')).validateFiles(files, options))
  program
    .command('hash')
    .summary('print checksum and hashes of a shader')
    .description('Prints the embedded checksum and the hashes by which mod tools (3Dmigoto) name shader files.')
    .argument('<files...>', 'compiled shaders, folders, quoted patterns, - for standard input')
    .option('--json', 'print JSON')
    .action(async (files, options) => (await import('./verbs/hash.ts')).hash(files, options))
  program
    .command('explain')
    .summary('explain a diagnostic code')
    .description('Prints what a code of a finding means and what to do; without codes all of them in a line each.')
    .argument('[codes...]', 'codes such as dxbc-magic; none lists them all')
    .option('--json', 'print JSON')
    .action(async (codes, options) => (await import('./verbs/explain.ts')).explain(codes, options))
}

function addComparers(program: Command): void {
  program
    .command('diff')
    .summary('show what differs between two shaders')
    .description(
      'Compares two shaders part by part: code and declarations by statement, signatures, bindings, other chunks.',
    )
    .argument('<first>', 'compiled shader or assembly text, - for standard input')
    .argument('<second>', 'compiled shader or assembly text')
    .option('-U, --context <n>', 'statements to show around differences (3)')
    .option('--json', 'print JSON')
    .option('-q, --quiet', 'print nothing: the exit code is the answer')
    .addHelpText('after', '\nExit code: 0 nothing differs; 1 something does; 2 a shader cannot be read.')
    .action(async (first, second, options) => (await import('./verbs/diff.ts')).diff(first, second, options))
  const cfg = program
    .command('cfg')
    .summary('print the control flow of a shader')
    .description('Prints basic blocks and the edges between them as a graph for Graphviz (DOT).')
    .argument('<files...>', 'compiled shaders or assembly texts, folders, quoted patterns, - for standard input')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample: heddle cfg shader.dxbc | dot -Tsvg -o shader.svg')
  withOutput(cfg, 'the graph').action(async (files, options) => (await import('./verbs/cfg.ts')).cfg(files, options))
  program
    .command('source')
    .summary('show what debug data says of the source')
    .description(
      'Shows the files, functions and variables that debug data (SPDB, SDBG, or a PDB beside the shader) has of the source, and where each variable is at each instruction.',
    )
    .argument('<files...>', 'compiled shaders or assembly texts, folders, quoted patterns, - for standard input')
    .option('--pdb <file>', 'the PDB of the shader; else it is looked for beside it')
    .option('--lines', 'list the lines with the instructions made of them')
    .option('--json', 'print JSON')
    .action(async (files, options) => (await import('./verbs/source.ts')).source(files, options))
}

function addInit(program: Command): void {
  const init = program
    .command('init')
    .summary('write a run description to fill in')
    .description(
      'Writes a run description of a compute shader that runs as it is: everything that the shader binds, constants with values by their names, a dispatch. Of the shaders of a graphics pipeline, given together, it makes a frame that draws.',
    )
    .argument('<files...>', 'shaders (.dxbc, assembly text, .hlsl), folders, quoted patterns')
    .option('--force', 'write descriptions that are there already')
    .option('--hlsl-compiler <command>', 'command with {input} {output} {entry} {profile}; or HEDDLE_HLSL_COMPILER')
    .option('--entry <name>', 'entry point of an .hlsl file (main)')
    .option('--profile <name>', 'profile of an .hlsl file (cs_5_0)')
    .option('--json', 'print the descriptions as JSON and write nothing')
  withOutput(init, 'the description').action(async (files, options) =>
    (await import('./verbs/init.ts')).init(files, options),
  )
}

/** Stands for the default of options that may be given several times; the help leaves it out. */
const NO_DEFAULT = 'none'

/** An option that may be given several times. */
function several(flags: string, description: string): Option {
  return new Option(flags, description)
    .default([], NO_DEFAULT)
    .argParser((value: string, previous: readonly string[]) => [...previous, value])
}

const RUN_EXAMPLES = `
Examples:
  heddle run blur.job.json                      run a description and its checks
  heddle run tests/*.json                       run many
  heddle run scan.dxbc --dispatch 4,1,1 --srv t0=structured:4x2048@lcg-u32:1 \\
      --uav u0=structured:4x2048 --uav u1=structured:4x4 --print u1
  heddle run blur.dxbc --dispatch 8,8,1 --srv t0=in.png --cbv b0=64,64,2 \\
      --uav u0=texture2d:R8G8B8A8_UNORM:64x64 --out u0=out.png
Exit code: 0 all ran and every check passed; 1 a difference, a trap, a budget used up; 2 bad input, nothing ran.
docs/running.md has the format of descriptions, docs/drawing.md that of frames, heddle/job.schema.json their JSON schema.`

function addRun(program: Command): void {
  const run = program
    .command('run')
    .summary('run compute shaders and frames of draws, and check what they write')
    .description(
      'Runs run descriptions (JSON): one dispatch, or the draws and dispatches of a frame; or one compute shader with its resources given by flags.',
    )
    .argument('<files...>', 'run descriptions; or a shader (.dxbc, assembly text, .hlsl)')
  withRunOptions(run)
    .option('--max-time <seconds>', 'time for each run, after which it is stopped (60; 0 for none)')
    .addOption(several('--print <slot[:first-last][:type]>', 'print elements, as u0, u0:5, u0:0-15:f32'))
    .addOption(several('--out <slot=file>', 'write a resource to a file; .png for an image of a texture'))
    .addOption(several('--preview <texture>', 'show a texture of a frame in the terminal'))
    .option('--precision <precision>', 'how pixels of a frame are computed: exact or fast')
    .option('-v, --verbose', 'print statistics of each draw')
    .option('-u, --update', 'write the files that checks name, where they are missing or not as expected')
    .option('--filter <pattern>', 'run only what has this in its name or file; * stands for anything')
    .option('--shard <i/n>', 'run the ith of n parts of the files; auto: as the variables of the CI say')
    .option('--jobs <n>', 'processes that run at once (1)')
    .option('--bail [n]', 'start no more after n runs that are not as expected (1)')
    .option('--watch', 'run again what a changed file belongs to, until Ctrl+C')
    .option('--junit <file>', 'write JUnit XML')
    .option('--sarif <file>', 'write SARIF 2.1.0 for code scanning')
    .option('--github', 'print annotations for GitHub workflows')
    .option('--no-hints', 'do not print hints')
    .option('--json', 'print JSON, a line for each run')
    .option('-q, --quiet', 'print nothing for runs that are as expected')
    .addHelpText('after', RUN_EXAMPLES)
    .action(async (files, options, command) => (await import('./verbs/run.ts')).run(files, options, command))
}

/** Options that say how a shader is run, for the verbs that run one. */
function withRunOptions(command: Command): Command {
  return command
    .option('--dispatch <x,y,z>', 'thread groups (shaders)')
    .addOption(
      several('--srv <slot=kind:size[,option][@init]>', 'a shader resource view, as t0=structured:16x256@f.bin'),
    )
    .addOption(several('--uav <slot=kind:size[,option][@init]>', 'an unordered access view, as u0=raw:1024'))
    .addOption(several('--cbv <slot=values>', 'a constant buffer, as b0=16,0.5 or b0=\'{"count":16}\''))
    .addOption(several('--sampler <slot=filter:address>', 'a sampler, as s0=MIN_MAG_MIP_LINEAR:WRAP'))
    .addOption(several('--unbound <slot>', 'a declared slot that stays unbound on purpose'))
    .option('--engine <name>', 'engine that runs the shader: wasm or reference')
    .option('--threads <n>', 'threads of this computer, for engines that use several')
    .option('--tune', 'turn on experimental features of the runtime that make code faster; or HEDDLE_TUNE=1')
    .option('--wave-width <n>', 'threads of a wave: 1, 4, 8, 16, 32 or 64')
    .option('--order <order>', 'order of groups and waves: forward, reverse or seed:N')
    .option('--groups-in-flight <n>', 'groups that run interleaved')
    .option('--policy <policy>', 'what undefined operations do: report, poison or trap')
    .option('--fma <mode>', 'roundings of mad: two (never), one (always), or what is fastest here (allow)')
    .option('--max-instructions <n>', 'instructions a thread may execute before the run is stopped')
    .option('--hlsl-compiler <command>', 'command with {input} {output} {entry} {profile}; or HEDDLE_HLSL_COMPILER')
    .option('--allow-outside', 'let descriptions read and write files outside of their own folder')
    .option('--entry <name>', 'entry point of an .hlsl file (main)')
    .option('--profile <name>', 'profile of an .hlsl file (cs_5_0)')
}

const CHECK_EXAMPLES = `
Examples:
  heddle check reduce.job.json                  check one run
  heddle check frame.job.json                   check all draws and dispatches of a frame
  heddle check tests/*.json --junit check.xml   check many, in parallel, for a CI
  heddle check tests/*.json --shard 2/4         the second quarter of them
  heddle check blur.dxbc --dispatch 8,8,1 --srv t0=in.png --cbv b0=64,64,2 \\
      --uav u0=texture2d:R8G8B8A8_UNORM:64x64
  heddle check reduce.job.json --suppress check-race@12
Detectors: bounds, uninitialized, races, barriers, counters; on request numbers, schedules.
Exit code: 0 clean (hints do not count); 1 something was found, or the check is partial; 2 bad input, nothing ran.
heddle explain CODE says what a finding means.`

function addCheck(program: Command): void {
  const check = program
    .command('check')
    .summary('find races, bad accesses and undefined values')
    .description('Runs compute shaders, and the draws of frames, under the checker. Takes what `heddle run` takes.')
    .argument('<files...>', 'run descriptions; or a shader (.dxbc, assembly text, .hlsl)')
    .option('--detectors <names>', 'what to look for, separated by commas')
    .option('--numbers', 'also report the first NaN and infinity, conversions out of range, division by zero')
    .option('--schedules', 'also compare results under several wave widths and orders')
    .option('--uninitialized-uavs', 'also report reads of UAV contents that the dispatch did not write')
    .option('--zero-border <slots>', 'slots whose loads out of bounds are meant to give 0, as t0,t1; or all')
    .addOption(several('--suppress <code[@n]>', 'leave out findings of a code, at instruction n or FILE:LINE'))
    .option('--suppressions <file>', 'leave out what the file lists, one a line, # before comments')
    .option('--no-hints', 'do not print hints')
    .option('--max-findings <n>', 'different findings kept of each run (100)')
    .option('--max-memory <megabytes>', 'memory for the tables of the detectors (2048)')
    .option('--max-time <seconds>', 'time for each run, after which it is reported as partial')
    .option('--shard <i/n>', 'check the ith of n parts of the files; auto: as the variables of the CI say')
    .option('--jobs <n>', 'processes that check at once (as many as there are processors)')
    .option('--sarif <file>', 'write SARIF 2.1.0 for code scanning')
    .option('--junit <file>', 'write JUnit XML')
    .option('--github', 'print annotations for GitHub workflows')
    .option('--trace', 'print a short history of the words that findings are about')
    .option('--compare', 'compare contents with what descriptions expect, too')
    .addOption(
      several('--path-map <from=to>', 'name HLSL files below one folder as below another, in all that is written'),
    )
  withRunOptions(check)
    .option('--json', 'print JSON')
    .option('-q, --quiet', 'print nothing for runs that are clean')
    .addHelpText('after', CHECK_EXAMPLES)
    .action(async (files, options, command) => (await import('./verbs/check.ts')).check(files, options, command))
}

function addBench(program: Command): void {
  const bench = program
    .command('bench')
    .summary('time compute shaders')
    .description(
      'Times dispatches: preparation, the first one, and the median of several once times are stable. Takes what `heddle run` takes.',
    )
    .argument('<files...>', 'run descriptions; or a shader (.dxbc, assembly text, .hlsl)')
    .option('--runs <n>', 'dispatches that count (10)')
    .option('--warmup <n>', 'dispatches after the first that do not count (as many as times take to be stable)')
  withRunOptions(bench)
    .option('--json', 'print JSON')
    .action(async (files, options) => (await import('./verbs/bench.ts')).bench(files, options))
}

const MERGE_EXAMPLES = `
Example:
  heddle check tests --shard 1/2 --junit check-1.xml      on one machine
  heddle check tests --shard 2/2 --junit check-2.xml      on another
  heddle merge check-1.xml check-2.xml -o check.xml       what one machine would have written
Exit code: 0 merged, and nothing is wrong in them; 1 merged, with failures or findings; 2 they are not the shards of one run.`

function addMerge(program: Command): void {
  program
    .command('merge')
    .summary('put the reports of shards together')
    .description(
      'Makes one report of those that `heddle run` or `heddle check` wrote for the shards of a corpus: JUnit XML, SARIF or JSON. A shard that is missing, comes twice, or is of other files is an error.',
    )
    .argument('<reports...>', 'what --junit, --sarif or --json wrote, all of one format; folders, quoted patterns')
    .option('-o, --output <file>', 'write the report to this file (- for standard output)')
    .addHelpText('after', MERGE_EXAMPLES)
    .action(async (reports, options) => (await import('./verbs/merge.ts')).merge(reports, options))
}

const DEBUG_EXAMPLES = `
Examples:
  heddle debug reduce.job.json                           a session in the terminal; help lists its commands
  heddle debug reduce.job.json --finding check-race@15   at the moment of a finding of heddle check
  heddle debug frame.job.json --command 5                a draw or dispatch of a frame, after the commands before it
  heddle debug frame.job.json                            of a draw: pixel 10,20 shows what happened to a pixel,
                                                         fragment 0 and vertex 3 go to the shader that ran there
  heddle debug reduce.job.json --script race.heddle      commands and expectations, forward and then backward
Exit code: 0; of scripts 1 where an expectation does not hold; 2 bad input.
docs/debugging.md has sessions from finding to cause.`

function addDebug(program: Command): void {
  const debug = program
    .command('debug')
    .summary('step through the shaders of a dispatch or a draw, forward and backward')
    .description(
      'Steps through one dispatch or draw, forward and backward: any thread or invocation at any moment, breakpoints, the history of memory and pixels, findings as places to go to.',
    )
    .argument('<file>', 'a run description; or a shader (.dxbc, assembly text, .hlsl)')
    .option('--script <file>', 'run commands and expectations from a file, forward and then backward')
    .option('--finding <code[@n]>', 'begin at a finding of heddle check, at instruction n (of a draw pixel:n)')
    .option('--command <n>', 'of a frame: the command to debug, from 0 (its first draw or dispatch)')
    .option('--pixel <x,y>', 'of a draw too large to be kept: run its pixel shader at this pixel alone')
    .option('-q, --quiet', 'of a script print only what does not hold')
  withRunOptions(debug)
    .addHelpText('after', DEBUG_EXAMPLES)
    .action(async (file, options, command) => (await import('./verbs/debug.ts')).debugVerb(file, options, command))
}

function addServers(program: Command): void {
  program
    .command('dap')
    .summary('a debugger for editors (debug adapter protocol)')
    .description(
      'A debug adapter for editors, on standard input and output: steps forward and backward, threads as sets of lanes, memory, disassembly.',
    )
    .option('--port <n>', 'serve on this port of this computer instead (0: a free one)')
    .option('--hlsl-compiler <command>', 'command with {input} {output} {entry} {profile}; or HEDDLE_HLSL_COMPILER')
    .option('--allow-outside', 'let descriptions read and write files outside of their own folder')
    .addHelpText(
      'after',
      '\nlaunch takes "program" (a run description), "command", "finding", "stopOnEntry", "threads" (sets, waves, lanes),\n"thread", "clock", "stopAtEnd"; of a draw "pixel" and "invocation". docs/editors.md has the settings of editors.',
    )
    .action(async (options) => (await import('./verbs/dap.ts')).dap(options))
  program
    .command('lsp')
    .summary('a language server of listings for editors (language server protocol)')
    .description(
      'A language server for listings, on standard input and output: findings while typing with fixes, hover, completion, definitions, rename and the rest. docs/editors.md has the settings of editors.',
    )
    .option('--stdio', 'use standard input and output, as it always does')
    .action(async () => (await import('./verbs/lsp.ts')).lsp())
}

const COMPLETION_EXAMPLES = `
bash, in ~/.bashrc:        eval "$(heddle completion bash)"
zsh, in ~/.zshrc:          eval "$(heddle completion zsh)"      after compinit
fish:                      heddle completion fish > ~/.config/fish/completions/heddle.fish
PowerShell, in $PROFILE:   heddle completion powershell | Out-String | Invoke-Expression`

function addCompletion(program: Command): void {
  program
    .command('completion')
    .summary('print the script by which a shell completes heddle')
    .description(
      'Prints a script for bash, zsh, fish or PowerShell that completes verbs, options, their values and files.',
    )
    .argument('[shell]', 'bash, zsh, fish or powershell')
    .addOption(new Option('--line <text>', 'what may stand at the end of this line').hideHelp())
    .addHelpText('after', COMPLETION_EXAMPLES)
    .action(async (shell, options) => (await import('./verbs/completion.ts')).completion(shell, options, program))
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
  addComparers(program)
  addInit(program)
  addRun(program)
  addCheck(program)
  addMerge(program)
  addBench(program)
  addDebug(program)
  addServers(program)
  addCompletion(program)
  const help = new Help()
  const optionDescription = (o: Option): string => help.optionDescription(o).replace(` (default: ${NO_DEFAULT})`, '')
  for (const command of program.commands)
    command
      .option('--color', 'colors, also where the output is no terminal; or FORCE_COLOR=1')
      .option('--no-color', 'no colors; or NO_COLOR=1')
      .configureHelp({ optionDescription })
      .exitOverride()
      .showHelpAfterError(`(heddle ${command.name()} --help)`)
      .hook('preAction', (_, action) => chooseColors(action.opts().color))
  return program
}
