/**
 * Scripts that teach shells to complete `heddle`. Each hands the line to `heddle completion --line`, so that all shells offer the
 * same and what they offer is of the version that is installed. The first line of an answer says which files belong to it:
 * `files` with their extensions, `folders` or `none`; the others are words with their descriptions behind a tab.
 */
import type { SHELLS } from './values.ts'

const BASH = `# Completion of heddle for bash: eval "$(heddle completion bash)"
_heddle() {
  local line=\${COMP_LINE:0:COMP_POINT} cur kind extensions word description head
  local -a answer files
  mapfile -t answer < <(heddle completion --line="$line" 2>/dev/null)
  read -r kind extensions <<< "\${answer[0]}"
  # What stands behind the last character that bash breaks words at: it replaces that part alone.
  cur=\${COMP_WORDS[COMP_CWORD]}
  [[ $cur == [=:] ]] && cur=
  head=\${line##*[[:space:]]}
  head=\${head%"$cur"}
  COMPREPLY=()
  for word in "\${answer[@]:1}"; do
    word=\${word%%$'\\t'*}
    COMPREPLY+=("\${word#"$head"}")
  done
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *[=:,@] ]]; then compopt -o nospace; fi
  if [[ $kind == folders ]]; then
    compopt -o filenames
    mapfile -t files < <(compgen -d -- "$cur")
    COMPREPLY+=("\${files[@]}")
  elif [[ $kind == files ]]; then
    compopt -o filenames
    mapfile -t files < <(for word in $extensions; do compgen -f -X "!*.$word" -- "$cur"; done; compgen -d -- "$cur")
    [[ \${#files[@]} -eq 0 ]] && mapfile -t files < <(compgen -f -- "$cur")
    COMPREPLY+=("\${files[@]}")
  fi
}
complete -F _heddle heddle
`

const ZSH = `#compdef heddle
# Completion of heddle for zsh: eval "$(heddle completion zsh)", after compinit
_heddle() {
  local line kind word
  local -a answer parts open closed
  line="\${(j: :)\${(@)words[1,CURRENT-1]}} $PREFIX"
  answer=("\${(@f)$(heddle completion --line="$line" 2>/dev/null)}")
  parts=(\${=answer[1]})
  kind=$parts[1]
  for word in "\${(@)answer[2,-1]}"; do
    [[ -z $word ]] && continue
    # _describe takes what stands behind a colon for the description.
    if [[ \${word%%$'\\t'*} == *[=:,@] ]]; then
      open+=("\${word//:/\\\\:}")
    else
      closed+=("\${\${word%%$'\\t'*}//:/\\\\:}:\${word#*$'\\t'}")
    fi
  done
  (( $#closed )) && _describe heddle closed
  (( $#open )) && _describe heddle open -S ''
  if [[ $kind == folders ]]; then
    compset -P '*='
    _files -/
  elif [[ $kind == files ]]; then
    compset -P '--*='
    if (( $#parts > 1 )); then _files -g "*.(\${(j:|:)parts[2,-1]})(-.)"; else _files; fi
  fi
}
if [[ $funcstack[1] == _heddle ]]; then _heddle "$@"; else compdef _heddle heddle; fi
`

const FISH = `# Completion of heddle for fish: heddle completion fish | source
function __heddle_complete
    set -l answer (heddle completion --line=(commandline -cp | string collect) 2>/dev/null)
    set -l parts (string split ' ' -- $answer[1])
    set -l typed (commandline -ct)
    printf '%s\\n' $answer[2..-1]
    switch $parts[1]
        case folders
            __fish_complete_directories (string replace -r -- '^--[a-z-]*=' '' $typed)
        case files
            if set -q parts[2]
                for extension in $parts[2..-1]
                    __fish_complete_suffix ".$extension"
                end
            else
                __fish_complete_path $typed
            end
    end
end
complete -c heddle -f -a '(__heddle_complete)'
`

const POWERSHELL = `# Completion of heddle for PowerShell: heddle completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName heddle -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $line = $commandAst.ToString()
    $length = $cursorPosition - $commandAst.Extent.StartOffset
    $line = if ($length -gt $line.Length) { $line + ' ' } else { $line.Substring(0, $length) }
    $answer = @(heddle completion "--line=$line" 2>$null)
    # Where nothing is returned PowerShell completes files by itself.
    $answer | Select-Object -Skip 1 | ForEach-Object {
        $word, $description = $_ -split "\`t", 2
        if (-not $description) { $description = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $description)
    }
}
`

export const COMPLETION_SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: BASH,
  zsh: ZSH,
  fish: FISH,
  powershell: POWERSHELL,
}
