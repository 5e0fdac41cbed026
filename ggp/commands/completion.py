"""Let a shell complete commands, options, and the names of games and players, or print a manual page.

Each shell gets a few lines that ask this program what can stand next, so they know what the installed version knows.

  eval "$(ggp completion bash)"                                   in ~/.bashrc
  eval "$(ggp completion zsh)"                                    in ~/.zshrc, after compinit
  ggp completion fish > ~/.config/fish/completions/ggp.fish       once
  ggp completion man > ~/.local/share/man/man1/ggp.1              once; then: man ggp
"""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace

from ggp.core.errors import UsageError

_BASH = r"""
_ggp_completion() {
    # Bash cuts words at : and = as well, which are part of ours; so the line is cut anew, at spaces.
    local typed="${COMP_LINE:0:COMP_POINT}" words current kept word note
    read -ra words <<<"$typed"
    [[ $typed == *[[:space:]] ]] && words+=("")
    current="${words[${#words[@]}-1]}"
    kept="${current%"${current##*["$COMP_WORDBREAKS"]}"}"
    COMPREPLY=()
    while IFS=$'\t' read -r word note; do
        if [[ $word == :files ]]; then
            compopt -o filenames
            while read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "${current#"$kept"}")
        else
            COMPREPLY+=("${word#"$kept"}")
        fi
    done < <(IFS=$'\t'; "${words[0]}" completion --words="${words[*]:1}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=,] ]] && compopt -o nospace
    return 0
}
complete -F _ggp_completion ggp
"""
_ZSH = r"""
_ggp_completion() {
    local line word files=0
    local -a before=("${(@)words[2,CURRENT-1]}" "$PREFIX") texts notes open_texts open_notes
    for line in "${(@f)$("${words[1]}" completion --words="${(pj:\t:)before}" 2>/dev/null)}"; do
        word="${line%%$'\t'*}"
        if [[ $word == :files ]]; then
            files=1
        elif [[ $word == *[:=,] ]]; then
            open_texts+=("$word") open_notes+=("${line/$'\t'/  -- }")
        elif [[ -n $word ]]; then
            texts+=("$word") notes+=("${line/$'\t'/  -- }")
        fi
    done
    (( $#texts )) && compadd -l -d notes -a texts
    (( $#open_texts )) && compadd -l -S '' -d open_notes -a open_texts
    (( files )) && _files
    return 0
}
compdef _ggp_completion ggp
"""
_FISH = r"""
function __ggp_completion
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] completion --words=(string join \t -- $words[2..-1] "$current") 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path $current
        else
            printf '%s\n' $line
        end
    end
end
complete -c ggp -f -a '(__ggp_completion)'
"""
SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
"""What each shell is told."""


def add_arguments(own: ArgumentParser) -> None:
    """The options of `ggp completion`."""
    own.add_argument("shell", nargs="?", choices=(*SCRIPTS, "man"), help="print lines for a shell, or the manual")
    own.add_argument("--words", help=SUPPRESS)  # what the lines above ask: the words so far, between tabs


def run(options: Namespace) -> int:
    """Print the lines, the manual, or what can stand next."""
    if options.words is not None:
        from ggp.commands.completing import words

        for word in words(options.words.split("\t")):
            print(f"{word.text}\t{word.note}" if word.note else word.text)
    elif options.shell == "man":
        from ggp.commands.manual import page

        print(page(), end="")
    elif options.shell:
        print(SCRIPTS[options.shell].strip())
    else:
        raise UsageError(f"name a shell: {', '.join(SCRIPTS)}; or man")
    return 0
