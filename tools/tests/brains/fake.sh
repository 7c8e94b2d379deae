#!/bin/sh
# A small brain for the tests of the match runner: fake.sh [behaviour [argument]].
# It plays the first empty point, row by row; a behaviour says when and how it goes wrong. `slow` and `flood`
# create the file FAKE_BRAIN_THINKS, if the environment names it, before they begin.
behaviour=${1:-plain}
argument=${2:-}
size=15
taken=' '
moves=0
# Managers may end a line with it.
cr=$(printf '\r')

first_empty() {
    y=0
    while [ $y -lt $size ]; do
        x=0
        while [ $x -lt $size ]; do
            case $taken in *" $x,$y "*) ;; *) return ;; esac
            x=$((x + 1))
        done
        y=$((y + 1))
    done
}

answer() {
    moves=$((moves + 1))
    case $behaviour in
        silent) return ;;
        crash) [ $moves -ge 3 ] && { echo 'out of ideas' >&2; exit 3; } ;;
        terminated) kill -TERM $PPID; exit 1 ;;
        slow) [ $moves -ge 2 ] && { [ -z "${FAKE_BRAIN_THINKS:-}" ] || : >"$FAKE_BRAIN_THINKS"; sleep "$argument"; } ;;
        flood) [ -z "${FAKE_BRAIN_THINKS:-}" ] || : >"$FAKE_BRAIN_THINKS"; while :; do echo 'MESSAGE still thinking'; done ;;
        river) while :; do printf 'no line end '; done ;;
        outside) echo '99,99'; return ;;
        negative) echo '-1,3'; return ;;
        occupied) case $taken in ' ') ;; *) taken=${taken# }; echo "${taken%% *}"; taken=" $taken"; return ;; esac ;;
        garbage) echo '7, 7'; echo 'UNKNOWN what'; return ;;
        refuse) echo 'ERROR no board'; return ;;
        point) echo "$argument"; return ;;
        column)
            # Builds a column of five.
            x=$argument
            y=0
            while :; do
                case $taken in *" $x,$y "*) y=$((y + 1)) ;; *) break ;; esac
            done
            taken="$taken$x,$y "
            echo "MESSAGE depth 3-5 ev 42 n 1000 n/ms 1 tm 1 pv a1"
            echo "$x,$y"
            return
            ;;
    esac
    first_empty
    taken="$taken$x,$y "
    if [ "$behaviour" = say ]; then
        # A message, in which MOVE stands for the move, in one write with it.
        name=$(printf "\\$(printf %o $((97 + x)))")$((y + 1))
        said=$(echo "$argument" | sed "s/MOVE/$name/g")
        printf 'MESSAGE %s\n%s,%s\n' "$said" "$x" "$y"
        return
    fi
    echo "$x,$y"
    [ "$behaviour" = leave ] && [ $moves -ge 2 ] && exit 0
    [ "$behaviour" = twice ] && echo "$x,$y"
    [ "$behaviour" = chatter ] && { i=0; while [ $i -lt 3000 ]; do echo "MESSAGE $i"; i=$((i + 1)); done; }
    return 0
}

[ "$behaviour" = early ] && exit 1
[ "$behaviour" = stubborn ] && trap '' TERM INT HUP
while read -r word rest; do
    word=${word%"$cr"}
    rest=${rest%"$cr"}
    case $word in
        ABOUT) echo 'name="Fake", version="1", author="nobody", country="nowhere"' ;;
        START)
            size=$rest
            taken=' '
            moves=0
            case $behaviour in
                mute) ;;
                refuse) echo 'ERROR not this board' ;;
                once) [ -z "${started:-}" ] && echo OK || echo 'ERROR one game only' ;;
                *) echo OK ;;
            esac
            started=yes
            ;;
        BEGIN) answer ;;
        TURN)
            taken="$taken$rest "
            answer
            ;;
        BOARD)
            taken=' '
            while read -r line; do
                line=${line%"$cr"}
                [ "$line" = DONE ] && break
                taken="$taken${line%,*} "
            done
            answer
            ;;
        SWAP2BOARD)
            count=0
            while read -r line; do
                line=${line%"$cr"}
                [ "$line" = DONE ] && break
                count=$((count + 1))
            done
            case $count$behaviour in
                0*) echo '7,7 8,8 9,9' ;;
                3swap | 5swap) echo SWAP ;;
                3two) echo '0,0 0,1' ;;
                3three) echo '0,0 0,1 0,2' ;;
                *) echo "0,$count" ;;
            esac
            ;;
        END) [ "$behaviour" = stubborn ] || exit 0 ;;
        *) ;;
    esac
done
[ "$behaviour" = stubborn ] && while :; do sleep 1; done
exit 0
