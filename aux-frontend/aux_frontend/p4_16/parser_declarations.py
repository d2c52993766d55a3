"""Types with names, externs, packages, constants and functions: what stands at the outermost level, except for parsers and
controls. Grammar: P4-16 spec 1.2.5, appendix G."""

from __future__ import annotations

from aux_frontend.p4_16 import ast
from aux_frontend.p4_16.parser_base import NAMES
from aux_frontend.p4_16.parser_tables import TableParser

_Annotations = tuple[ast.Annotation, ...]
_FIELDS: dict[str, type[ast.HeaderDeclaration] | type[ast.HeaderUnionDeclaration] | type[ast.StructDeclaration]] = {
    "header": ast.HeaderDeclaration,
    "header_union": ast.HeaderUnionDeclaration,
    "struct": ast.StructDeclaration,
}


class DeclarationParser(TableParser):
    def type_declaration(self, annotations: _Annotations) -> ast.Declaration:
        """derivedTypeDeclaration: headerTypeDeclaration | headerUnionDeclaration | structTypeDeclaration | enumDeclaration"""
        return self._enum(annotations) if self.kind == "enum" else self._fields(annotations)

    def _fields(self, annotations: _Annotations) -> ast.Declaration:
        """optAnnotations ( HEADER | HEADER_UNION | STRUCT ) name optTypeParameters "{" { structField } "}" """
        word = self.advance().kind
        name = self.name(f"the name of the {word}")
        self.declare(name.text, is_type=True)
        self.push_scope()
        type_parameters = self.type_parameters()
        opening = self.expect("{", f"before the fields of '{name.text}'")
        fields = tuple(self.items(opening, self._field))
        self.pop_scope()
        return _FIELDS[word](name.span, annotations, name.text, type_parameters, fields)

    def _field(self) -> ast.FieldDeclaration:
        """structField: optAnnotations typeRef name ";" """
        annotations = self.annotations()
        type_ref = self.type_ref("the type of a field")
        name = self.name("the name of a field")
        type_ref = self.array_suffix(type_ref)
        self.expect(";", f"after the field '{name.text}'")
        return ast.FieldDeclaration(name.span, annotations, name.text, type_ref)

    def _enum(self, annotations: _Annotations) -> ast.EnumDeclaration:
        """optAnnotations ENUM [ typeRef ] name "{" member { "," member } [ "," ] "}"; member: name [ "=" expression ]"""
        self.advance()
        after = self.peek().kind
        underlying = None if self.kind in NAMES and after == "{" else self.type_ref("the name of the enum")
        name = self.name("the name of the enum")
        self.declare(name.text, is_type=True)
        self.expect("{", f"before the members of '{name.text}'")
        members: list[ast.EnumMember] = []
        while self.kind != "}":
            member = self.name(f"a member of the enum '{name.text}'")
            value = self.expression() if self.accept("=") else None
            members.append(ast.EnumMember(member.span, (), member.text, value))
            if not self.accept(","):
                break
        self.expect("}", f"or ',' after a member of '{name.text}'")
        return ast.EnumDeclaration(name.span, annotations, name.text, underlying, tuple(members))

    def name_list(self, annotations: _Annotations) -> ast.Declaration:
        """errorDeclaration, matchKindDeclaration: ( ERROR | MATCH_KIND ) "{" name { "," name } [ "," ] "}" """
        word = self.advance()
        self.expect("{", f"after '{word.text}'")
        members: list[ast.Name] = []
        while self.kind != "}":
            member = self.name_node(f"a name in the list of '{word.text}'")
            if word.kind == "match_kind":
                self.declare(member.text)
            members.append(member)
            if not self.accept(","):
                break
        self.expect("}", f"or ',' in the list of '{word.text}'")
        kind = ast.ErrorDeclaration if word.kind == "error" else ast.MatchKindDeclaration
        return kind(word.span, annotations, word.text, tuple(members))

    def typedef(self, annotations: _Annotations) -> ast.TypedefDeclaration:
        """typedefDeclaration: optAnnotations ( TYPEDEF | TYPE ) ( typeRef | derivedTypeDeclaration ) name ";" """
        word = self.advance().kind
        target: ast.TypeRef | ast.Declaration
        if self.kind in (*_FIELDS, "enum", "@"):
            if word == "type":
                self.report("'type' needs a type that has a name; only 'typedef' may declare one on the way")
            target = self.type_declaration(self.annotations())
        else:
            target = self.type_ref(f"a type after '{word}'")
        name = self.name("the new name of the type")
        self.declare(name.text, is_type=True)
        self.expect(";", f"after the type '{name.text}'")
        return ast.TypedefDeclaration(name.span, annotations, name.text, target, word == "type")

    def package(self, annotations: _Annotations) -> ast.PackageDeclaration:
        """packageTypeDeclaration: optAnnotations PACKAGE name optTypeParameters "(" parameterList ")" ";" """
        self.advance()
        name = self.name("the name of the package")
        self.declare(name.text, is_type=True)
        self.push_scope()
        type_parameters = self.type_parameters()
        parameters = self.parameters(f"the package '{name.text}'")
        self.pop_scope()
        self.expect(";", f"after the package '{name.text}'")
        return ast.PackageDeclaration(name.span, annotations, name.text, type_parameters, parameters)

    def extern(self, annotations: _Annotations) -> ast.Declaration:
        """externDeclaration: optAnnotations EXTERN nonTypeName optTypeParameters "{" { methodPrototype } "}"
        | optAnnotations EXTERN functionPrototype ";" """
        self.advance()
        if self._at_extern_object():
            return self._extern_object(annotations)
        result = self.type_ref("the name of an extern, or a function")
        name = self.name("the name of the extern function")
        self.declare(name.text)
        self.push_scope()
        type_parameters = self.type_parameters()
        parameters = self.parameters(f"the extern function '{name.text}'")
        self.pop_scope()
        self.expect(";", f"after the extern function '{name.text}'")
        return ast.FunctionPrototype(name.span, annotations, name.text, type_parameters, parameters, result)

    def _at_extern_object(self) -> bool:
        """A name, type parameters perhaps, and then a brace or the end; a function has a result type and a name instead."""
        if self.kind not in NAMES:
            return False
        index = self.index + 1
        if self.tokens[index].kind == "<":
            while self.tokens[index].kind in ("<", ",") and self.tokens[index + 1].kind in NAMES:
                index += 2
            index += self.tokens[index].kind == ">"
        return self.tokens[index].kind == "{"

    def _extern_object(self, annotations: _Annotations) -> ast.ExternDeclaration:
        name = self.name("the name of the extern")
        self.declare(name.text, is_type=True)
        self.push_scope()
        type_parameters = self.type_parameters()
        opening = self.expect("{", f"before the methods of '{name.text}'")
        methods = tuple(self.items(opening, lambda: self._method(name.text)))
        self.pop_scope()
        return ast.ExternDeclaration(name.span, annotations, name.text, type_parameters, methods)

    def _method(self, owner: str) -> ast.MethodPrototype:
        """methodPrototype: optAnnotations [ ABSTRACT ] functionPrototype ";" | optAnnotations name "(" parameterList ")" ";" """
        annotations = self.annotations()
        abstract = self.accept("abstract") is not None
        annotations += self.annotations()
        is_constructor = self.token.text == owner and self.peek().kind == "("
        result = None if is_constructor else self.type_ref("a method")
        name = self.name(f"the name of a method of '{owner}' after its result type")
        self.push_scope()
        type_parameters = self.type_parameters()
        parameters = self.parameters(f"'{name.text}'")
        self.pop_scope()
        self.expect(";", f"after the method '{name.text}'")
        return ast.MethodPrototype(name.span, annotations, name.text, type_parameters, parameters, result, abstract)

    def action(self, annotations: _Annotations) -> ast.ActionDeclaration:
        """actionDeclaration: optAnnotations ACTION name "(" parameterList ")" blockStatement"""
        self.advance()
        name = self.name("the name of the action")
        self.declare(name.text)
        self.push_scope()
        parameters = self.parameters(f"the action '{name.text}'")
        body = self.block(f"before the body of '{name.text}'")
        self.pop_scope()
        return ast.ActionDeclaration(name.span, annotations, name.text, parameters, body)
