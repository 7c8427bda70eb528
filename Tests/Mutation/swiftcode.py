"""Walks through a Swift file and tells a visitor where code is: statements, conditions, expressions and calls. It knows declarations, blocks,
closures and patterns, and no types. What it does not understand, it leaves out."""

import swifttokens

MODIFIERS = set(
    "public package internal private fileprivate open static final mutating nonmutating override convenience required lazy weak unowned"
    " nonisolated isolated borrowing consuming indirect dynamic optional prefix postfix infix distributed async sending".split()
)
TYPES = {"struct", "class", "enum", "extension", "protocol", "actor"}
FUNCTIONS = {"func", "init", "deinit", "subscript"}
ACCESSORS = {"get", "set", "willSet", "didSet", "_read", "_modify", "unsafeAddress", "unsafeMutableAddress"}
INLINED = {"@inlinable", "@_alwaysEmitIntoClient", "@_transparent", "@backDeployed"}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=", "&+=", "&-=", "&<<=", "&>>="}
# An operand does not reach across these.
BOUNDARIES = set("try await return throw where in let var inout consume copy else is as case catch break continue _".split())
# Text for people, and what has to agree with another function and nothing else.
IGNORED_MEMBERS = {"description", "debugDescription", "hash"}
IGNORED_CALLS = {
    "precondition", "preconditionFailure", "assert", "assertionFailure", "fatalError", "log", "logger", "_precondition", "_debugPrecondition",
}  # fmt: skip


class Context:
    """Where code is: `value`: its statements give a value; `initial`: in an initializer."""

    def __init__(self, value=False, initial=False, inlined=False):
        self.value, self.initial, self.inlined = value, initial, inlined

    def with_value(self, value):
        return Context(value, self.initial, self.inlined)


class Walker:
    def __init__(self, text, visitor):
        self.tokens = swifttokens.tokens(text)
        self.close = swifttokens.pairs(self.tokens)
        self.visitor = visitor
        self.types = []

    def text(self, index):
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def walk(self):
        self.declarations(0, len(self.tokens))

    def after(self, index):
        """The index behind the token or the bracket at `index`."""
        return self.close.get(index, index) + 1

    def find(self, wanted, index, end):
        """The first of the tokens with a wanted text, not within brackets; `end` if there is none."""
        while index < end and self.text(index) not in wanted:
            index = self.after(index)
        return index

    def continues(self, index):
        """Whether a token that begins a line continues the statement before it."""
        token, before = self.tokens[index], self.tokens[index - 1]
        if token.text in (".", "?", ":", "where", "else") or (token.fixity == "binary" and token.text != "..."):
            return True
        return before.fixity == "binary" or before.text in ("=", ",", "->", "try", "await", "as", "is", "in", ":", ".")

    def statement_end(self, index, end):
        start = index
        while index < end:
            if self.text(index) == ";" or (index > start and self.tokens[index].first and not self.continues(index)):
                return index
            if self.text(index) == "{" and self.text(index + 1) in ("willSet", "didSet"):
                return index
            index = self.after(index)
        return end

    # Declarations

    def declarations(self, index, end):
        marks = set()
        while index < end:
            index, marks = self.declaration(index, end, marks)

    def declaration(self, index, end, marks, context=None):
        """Walks through a declaration or a part before it, and returns what is behind it and the attributes for what follows."""
        token = self.tokens[index]
        if token.kind == "mark":
            if token.text in ("#if", "#elseif", "#else", "#endif"):
                return self.line_end(index, end), set()
            behind = index + 1
            if self.text(behind) == "(" and self.tokens[behind].start == token.end:
                behind = self.after(behind)
            return behind, marks | {token.text}
        if token.text in MODIFIERS or (token.text == "class" and self.text(index + 1) in ("func", "var", "let", "subscript")):
            behind = index + 1
            return (self.after(behind) if self.text(behind) == "(" else behind), marks
        inlined = bool(marks & INLINED)
        if token.text in TYPES:
            return self.type(index, end), set()
        if token.text in FUNCTIONS:
            return self.function(index, end, inlined), set()
        if token.text in ("var", "let"):
            return self.variable(index, end, inlined), set()
        if token.text in ("case", "typealias", "associatedtype", "import", "macro"):
            if token.text == "case":
                self.visitor.enum_cases(self, index, self.line_end(index, end))
            return self.line_end(index, end), set()
        return self.after(index), set()

    def line_end(self, index, end):
        index = self.after(index)
        while index < end and not (self.tokens[index].first and self.text(index - 1) != ","):
            index = self.after(index)
        return index

    def type(self, index, end):
        body = self.find({"{"}, index, end)
        if self.text(index) != "protocol":
            self.types.append((self.text(index), self.text(index + 1)))
            self.declarations(body + 1, self.close.get(body, end))
            self.types.pop()
        return self.after(body)

    def function(self, index, end, inlined):
        kind = self.text(index)
        behind = index + 1
        while behind < end and self.text(behind) not in ("(", "{"):
            behind += 1
        if self.text(behind) == "(":
            self.visitor.signature(self, kind, self.text(index + 1), behind)
            behind = self.after(behind)
        returns = kind == "subscript"
        while behind < end and self.text(behind) != "{":
            if self.text(behind) == "->":
                returns = True
            behind = self.after(behind)
        if behind >= end:
            return end
        inner = Context(initial=kind == "init", inlined=inlined)
        if self.text(index + 1) not in IGNORED_MEMBERS:
            self.accessors(behind, inner, returns)
        return self.after(behind)

    def accessors(self, body, context, returns):
        """A body that is a block, or has accessors with one each."""
        index, end = body + 1, self.close[body]
        at = index
        while at < end and (self.tokens[at].kind == "mark" or self.text(at) in MODIFIERS):
            marked = self.tokens[at].kind == "mark" and self.text(at + 1) == "("
            at = self.after(at + 1) if marked else at + 1
        if self.text(at) not in ACCESSORS or self.text(at + 1) not in ("{", "(", "throws", "async"):
            self.block(body, context, returns)
            return
        while index < end:
            if self.text(index) == "{":
                self.block(index, context, self.text(index - 1) == "get")
            index = self.after(index)

    def variable(self, index, end, inlined, context=None):
        """A stored or computed variable, also of code."""
        name, behind = self.text(index + 1), index + 1
        stop = self.statement_end(index, end)
        behind = self.find({"=", "{"}, behind, stop)
        inner = context or Context(inlined=inlined)
        if self.text(behind) == "=" and behind < stop:
            if name not in IGNORED_MEMBERS:
                self.expression(behind + 1, stop, inner)
            behind = stop
        if behind < end and self.text(behind) == "{":
            if name not in IGNORED_MEMBERS:
                self.accessors(behind, inner, True)
            return self.after(behind)
        return max(stop, index + 1)

    # Statements

    def block(self, body, context, returns=False):
        """The statements in braces. A single one can be the value."""
        self.statements(body + 1, self.close[body], context.with_value(returns))

    def statements(self, index, end, context):
        if context.value and index < end and self.statement_end(index, end) < end:
            context = context.with_value(False)
        while index < end:
            behind = self.statement(index, end, context)
            index = behind if behind > index else index + 1

    def statement(self, index, end, context):
        token, text = self.tokens[index], self.text(index)
        if token.kind == "mark" and text in ("#if", "#elseif", "#else", "#endif"):
            return self.line_end(index, end)
        if token.kind == "mark" and text[0] == "@":
            behind = index + 1
            return self.after(behind) if self.text(behind) == "(" and self.tokens[behind].start == token.end else behind
        if text in ("if", "while", "guard"):
            return self.condition(index, end, context)
        if text == "for":
            return self.loop(index, end, context)
        if text == "switch":
            body = self.find({"{"}, index, end)
            self.expression(index + 1, body, context)
            self.cases(body, context)
            return self.after(body)
        if text in ("do", "defer", "repeat", "else", "catch"):
            return self.plain_block(index, end, context)
        if text in ("case", "default", ";", "fallthrough", "break", "continue"):
            return index + 1
        if text in ("let", "var"):
            return self.variable(index, end, context.inlined, context)
        if text in FUNCTIONS | TYPES | {"typealias", "import"} and self.text(index + 1) != "(":
            return self.declaration(index, end, set())[0]
        if text in MODIFIERS and self.text(index + 1) in FUNCTIONS | {"let", "var"} | MODIFIERS:
            return index + 1
        if self.text(index + 1) == ":" and self.text(index + 2) in ("for", "while", "repeat", "if", "switch", "do"):
            return index + 2
        stop = self.statement_end(index, end)
        if self.leading_word(index, stop) in IGNORED_CALLS:
            return stop
        if text not in ("return", "throw"):
            self.visitor.statement(self, index, stop, context)
        self.expression(index, stop, context)
        return stop

    def plain_block(self, index, end, context):
        body = self.find({"{"}, index, end)
        if body >= end:
            return end
        self.block(body, context.with_value(False))
        behind = self.after(body)
        if self.text(index) == "repeat" and self.text(behind) == "while":
            stop = self.statement_end(behind, end)
            self.element(behind + 1, stop, context)
            return stop
        return behind

    def leading_word(self, index, end):
        while index < end and self.text(index) in ("try", "await", "_", "=", "self", ".", "?", "!"):
            index += 1
        return self.text(index)

    def condition(self, index, end, context):
        """`if`, `guard` and `while`, with their blocks."""
        keyword = self.text(index)
        body = self.find({"{"}, index + 1, end)
        stop = body - 1 if keyword == "guard" else body
        first = index + 1
        while first < stop:
            last = self.find({","}, first, stop)
            self.element(first, last, context)
            first = last + 1
        if body >= end:
            return end
        self.statements(body + 1, self.close[body], context if keyword == "if" else context.with_value(False))
        behind = self.after(body)
        if keyword == "if" and self.text(behind) == "else":
            if self.text(behind + 1) == "if":
                return self.condition(behind + 1, end, context)
            if self.text(behind + 1) == "{":
                self.statements(behind + 2, self.close[behind + 1], context)
                return self.after(behind + 1)
        return behind

    def element(self, first, last, context):
        if self.text(first) in ("let", "var", "case"):
            equals = self.find({"="}, first, last)
            self.expression(equals + 1, last, context)
        elif self.tokens[first].kind != "mark":
            self.visitor.condition(self, first, last, context)
            self.expression(first, last, context)

    def loop(self, index, end, context):
        body = self.find({"{"}, index, end)
        over = self.find({"in"}, index, body)
        self.expression(over + 1, body, context)
        if body < end:
            self.block(body, context.with_value(False))
        return self.after(body)

    def cases(self, body, context):
        index, end = body + 1, self.close[body]
        while index < end:
            if self.text(index) in ("case", "default"):
                colon = self.find({":"}, index, end)
                where = self.find({"where"}, index, colon)
                if where < colon:
                    self.expression(where + 1, colon, context)
                stop = colon + 1
                while stop < end and not (self.text(stop) in ("case", "default") and self.text(stop - 1) not in ("if", "guard", ",", "while", "for")):
                    if self.text(stop) == "@unknown":
                        break
                    stop = self.after(stop)
                self.statements(colon + 1, stop, context)
                index = stop
            else:
                index = self.after(index)

    # Expressions

    def closure(self, body, context):
        index, end = body + 1, self.close[body]
        at = index
        while at < end and (
            self.tokens[at].kind == "word" and self.text(at) not in ("in", "if", "for", "switch", "let", "var", "return", "try", "guard")
            or self.text(at) in ("(", "[", ",", ":", "->", "?", "<", ">", ".", "&") or self.tokens[at].kind == "mark"
        ):  # fmt: skip
            at = self.after(at)
        if self.text(at) == "in" and at < end:
            index = at + 1
        self.statements(index, end, Context(True, False, context.inlined))

    def expression(self, index, end, context):
        """Divides an expression into operands without a boundary in them."""
        start = index
        while index < end:
            token = self.tokens[index]
            if token.text in ("if", "switch"):
                self.operand(start, index, context)
                index = start = self.statement(index, end, context.with_value(True))
                continue
            if token.text in ("(", "["):
                if token.text == "(":
                    self.visitor.call(self, index, context)
                self.expression(index + 1, self.close[index], context)
            elif token.text == "{":
                self.closure(index, context)
            elif self.is_boundary(index):
                self.operand(start, index, context)
                start = index + 1
            index = self.after(index)
        self.operand(start, end, context)

    def is_boundary(self, index):
        token = self.tokens[index]
        if token.kind == "operator":
            return token.text in ASSIGNMENTS or token.text == "->" or (token.text == "?" and token.fixity == "binary") or (
                token.text in "?!" and self.text(index - 1) in ("try", "as")
            )  # fmt: skip
        return token.text in (",", ";", ":") or (token.text in BOUNDARIES and self.text(index - 1) != ".")

    def operand(self, start, end, context):
        if start < end:
            self.visitor.operand(self, start, end, context)
