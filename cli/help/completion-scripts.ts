/**
 * Scripts that ask `platform complete -- <words>` at every Tab: lines of `value<Tab>description`, and at the end a line that begins
 * with a colon. Our own, because those that libraries make build a command line of what was typed and `eval` it, which runs what
 * stands in `$(…)` before Enter is pressed, and because they need the package bash-completion.
 */
export const COMPLETION_SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# bash completion for platform
_platform_complete() {
  local value rest word="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS=$'\\t' read -r value rest; do
    case "$value" in
      :*) ;;
      "$word"*) COMPREPLY+=("$value") ;;
    esac
  done < <(platform complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # What ends in a slash goes on.
  if [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == */ ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o default -F _platform_complete platform
`,
  zsh: `#compdef platform
# zsh completion for platform
_platform() {
  local line value
  local -a offers
  for line in "\${(@f)$(platform complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -z $line || $line == :* ]] && continue
    value=\${line%%$'\\t'*}
    offers+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#offers )); then
    _describe -t offers platform offers
  else
    _files
  fi
}
if [[ $funcstack[1] == _platform ]]; then
  _platform "$@"
else
  compdef _platform platform
fi
`,
  fish: `# fish completion for platform
function __platform_offers
    set -l typed (commandline -opc) (commandline -ct)
    set -g __platform_found (platform complete -- $typed[2..-1] 2>/dev/null | string match -v -r '^:')
    test (count $__platform_found) -gt 0
end
complete -c platform -e
complete -c platform -f -n __platform_offers -a '(printf "%s\\n" $__platform_found)'
`,
};
